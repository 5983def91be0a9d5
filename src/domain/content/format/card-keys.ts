/**
 * Assigns ids to the cards of an exported file. A card keeps its key. If its key is already taken in the file, or a
 * script created the card without a key, the assigned id contains the row id of the card.
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
