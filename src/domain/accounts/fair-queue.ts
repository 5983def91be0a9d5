/** Whose an item is: of an owner, who belongs to a group. */
export interface Share {
  group: string
  owner: string
}

/**
 * A bounded queue in which groups take turns, and within a group its owners; the items of an owner keep their order. In
 * a full one whoever has most waiting gives way to whoever has less, so that many items of few keep nobody out.
 */
export class FairQueue<T> {
  /** Both maps are in the order of whose turn it is. None of them, and no list, is empty. */
  readonly #groups = new Map<string, Map<string, T[]>>()
  readonly #capacity: number
  #size = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#size
  }

  /** How many items of the owner wait. */
  waitingOf({ group, owner }: Share): number {
    return this.#groups.get(group)?.get(owner)?.length ?? 0
  }

  /** Lets the item wait. The item that gives way, when the queue was full: another's, or this one. */
  push({ group, owner }: Share, item: T): T | undefined {
    const owners = this.#groups.get(group) ?? new Map<string, T[]>()
    const items = owners.get(owner) ?? []
    this.#groups.set(group, owners.set(owner, items))
    items.push(item)
    this.#size++
    return this.#size > this.#capacity ? this.#dropBehind({ group, owner }) : undefined
  }

  /** Takes out the item whose turn it is. */
  shift(): T | undefined {
    for (const [group, owners] of this.#groups) {
      for (const [owner, items] of owners) {
        const item = items.shift()
        this.#groups.delete(group)
        owners.delete(owner)
        if (items.length > 0) owners.set(owner, items)
        if (owners.size > 0) this.#groups.set(group, owners)
        this.#size--
        return item
      }
    }
    return undefined
  }

  /** The last item of the owner with most of them, in the group with most of them; of equals the newcomer's. */
  #dropBehind(newcomer: Share): T | undefined {
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

/** The key of the largest value; `preferred` when no other is larger. */
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
