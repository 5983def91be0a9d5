/**
 * Assigns ids to the cards of an exported file: the key of a card, or an id that contains its row id if the card has no
 * key or the key is taken in this file.
 */
export class CardKeys {
  readonly #taken = new Set<string>()

  take(key: string | null, cardId: number): string {
    const wanted = key ?? `karte-${Math.abs(cardId)}`
    let free = wanted
    while (this.#taken.has(free)) free = `${free.slice(0, 52)}-${Math.abs(cardId)}`
    this.#taken.add(free)
    return free
  }
}
