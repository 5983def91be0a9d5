export interface Share {
  group: string
  owner: string
}

/**
 * A bounded queue that serves groups in turn, and the owners within a group in turn. Items of one owner keep their
 * order. If an item exceeds the capacity, the queue drops the last item of the owner with the most items in the group
 * with the most items, so that owners with many items do not lock out the others.
 */
export class FairQueue<T> {
  /** Items by group and owner. Both levels are in the order of service; empty maps and lists are removed. */
  readonly #groups = new Map<string, Map<string, T[]>>()
  readonly #capacity: number
  #size = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#size
  }

  waitingOf({ group, owner }: Share): number {
    return this.#groups.get(group)?.get(owner)?.length ?? 0
  }

  /** Adds an item. If the queue is full, drops an item, possibly the new one, and returns it. */
  push({ group, owner }: Share, item: T): T | undefined {
    const owners = this.#groups.get(group) ?? new Map<string, T[]>()
    const items = owners.get(owner) ?? []
    this.#groups.set(group, owners.set(owner, items))
    items.push(item)
    this.#size++
    return this.#size > this.#capacity ? this.#dropFromLargest({ group, owner }) : undefined
  }

  /**
   * Removes and returns the next item; undefined if no waiting owner may be served.
   * @param isServed returns whether the owner may be served now
   */
  shift(isServed: (share: Share) => boolean = () => true): { share: Share; item: T } | undefined {
    for (const [group, owners] of this.#groups) {
      for (const [owner, items] of owners) {
        const share = { group, owner }
        if (!isServed(share)) continue
        const item = items.shift() as T
        this.#groups.delete(group)
        owners.delete(owner)
        if (items.length > 0) owners.set(owner, items)
        if (owners.size > 0) this.#groups.set(group, owners)
        this.#size--
        return { share, item }
      }
    }
    return undefined
  }

  remove({ group, owner }: Share, item: T): void {
    const owners = this.#groups.get(group)
    const items = owners?.get(owner)
    const index = items?.indexOf(item) ?? -1
    if (owners === undefined || items === undefined || index < 0) return
    items.splice(index, 1)
    if (items.length === 0) owners.delete(owner)
    if (owners.size === 0) this.#groups.delete(group)
    this.#size--
  }

  /** Drops the last item of the owner with the most items in the group with the most items; see `largest` for ties. */
  #dropFromLargest(newcomer: Share): T | undefined {
    const group = largest(this.#groups, newcomer.group, countOf)
    const owners = this.#groups.get(group) as Map<string, T[]>
    const owner = largest(owners, newcomer.owner, (items) => items.length)
    const items = owners.get(owner) as T[]
    const item = items.pop()
    if (items.length === 0) owners.delete(owner)
    if (owners.size === 0) this.#groups.delete(group)
    this.#size--
    return item
  }
}

function countOf(owners: Map<string, unknown[]>): number {
  let count = 0
  for (const items of owners.values()) count += items.length
  return count
}

/** Returns the key with the largest size. On a tie, returns `preferred` if it is one of them, otherwise the first. */
function largest<V>(values: Map<string, V>, preferred: string, sizeOf: (value: V) => number): string {
  const own = values.get(preferred)
  let found = preferred
  let size = own === undefined ? 0 : sizeOf(own)
  for (const [key, value] of values) {
    if (sizeOf(value) <= size) continue
    found = key
    size = sizeOf(value)
  }
  return found
}
