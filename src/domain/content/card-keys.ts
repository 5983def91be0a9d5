/** Gives the cards of a deck their ids in a file: those of imports keep theirs, those of scripts get one by their row. */
export class CardKeys {
  readonly #taken = new Set<string>()

  take(key: string | null, cardId: number): string {
    const wanted = key ?? `karte-${Math.abs(cardId)}`
    let free = wanted
    for (let count = 2; this.#taken.has(free); count++) free = `${wanted.slice(0, 55)}-${count}`
    this.#taken.add(free)
    return free
  }
}
