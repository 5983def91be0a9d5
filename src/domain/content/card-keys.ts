/**
 * Gives the cards of a file their ids in it: those of imports keep theirs, those of scripts get one by their row, and so
 * do those that another card of the file is called like.
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
