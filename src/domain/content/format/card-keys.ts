/**
 * Assigns ids to the cards of an exported file: imported cards keep theirs; cards of scripts, and cards whose id is
 * taken in the file, get one from their row.
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
