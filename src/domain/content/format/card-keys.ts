/**
 * Assigns ids to the cards of an exported file. A card keeps its key. A card without a key, which a script has written,
 * and a card whose key is already taken in the file get an id that contains the id of their row.
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
