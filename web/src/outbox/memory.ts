import type { Entry, Receipt } from '../storage/entry.js'
import type { Store, Tables } from '../storage/store.js'

/** Creates a store in memory for entries that cannot be stored durably. They are lost when the page closes. */
export function createMemoryStore(): Store {
  const entries = new Map<string, Entry>()
  const receipts = new Map<string, Receipt>()
  let before: Promise<unknown> = Promise.resolve()

  /** Runs changes one after another. No rollback is needed, because a change never fails after its first write. */
  function change<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    const result = before.then(() => work(tablesOf(entries, receipts)))
    before = result.catch(() => undefined)
    return result
  }

  return { change, read: change }
}

const keyOf = (user: number, id: string) => `${user} ${id}`

function tablesOf(entries: Map<string, Entry>, receipts: Map<string, Receipt>): Tables {
  const entriesOf = (user: number, isRefused: boolean) =>
    [...entries.values()].filter((entry) => entry.user === user && (entry.refusal !== undefined) === isRefused)
  return {
    async add(entry) {
      const key = keyOf(entry.user, entry.id)
      if (entries.has(key)) throw new Error(`there is an entry ${key}`)
      entries.set(key, { ...entry })
    },
    async put(entry) {
      entries.set(keyOf(entry.user, entry.id), { ...entry })
    },
    async find(user, id) {
      return entries.get(keyOf(user, id))
    },
    async remove(user, id) {
      entries.delete(keyOf(user, id))
    },
    async oldest(user, count) {
      return entriesOf(user, false).slice(0, count)
    },
    async refused(user) {
      return entriesOf(user, true)
    },
    async count(user) {
      return entriesOf(user, false).length
    },
    async undos(user) {
      return entriesOf(user, false).filter((entry) => entry.kind === 'undo')
    },
    async addReceipt(receipt) {
      receipts.set(keyOf(receipt.user, receipt.id), { ...receipt })
    },
    async findReceipt(user, id) {
      return receipts.get(keyOf(user, id))
    },
    async removeReceipt(user, id) {
      receipts.delete(keyOf(user, id))
    },
    async receipts(user) {
      return [...receipts.values()].filter((receipt) => receipt.user === user)
    },
    async removeReceiptsBefore(at) {
      for (const [key, receipt] of receipts) if (receipt.at < at) receipts.delete(key)
    },
  }
}
