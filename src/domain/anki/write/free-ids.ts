/** Assigns unique ids, in nearly linear time even if many wanted ids are equal. */
export class FreeIds {
  /** A larger id for each taken id; all ids between the two are taken. */
  readonly #next = new Map<number, number>()

  /** Takes the first free id that is not less than `wanted`, and returns it. */
  take(wanted: number): number {
    let id = wanted
    for (let next = this.#next.get(id); next !== undefined; next = this.#next.get(id)) {
      // Shortens the path for later calls.
      this.#next.set(id, this.#next.get(next) ?? next)
      id = next
    }
    this.#next.set(id, id + 1)
    return id
  }
}
