import type { Entry, Receipt, UndoEntry } from './entry.js'

/** Operations within a transaction. Entries keep their order. */
export interface Tables {
  add(entry: Entry): Promise<void>
  /** Replaces the entry with that id and user, which keeps its position */
  put(entry: Entry): Promise<void>
  find(user: number, id: string): Promise<Entry | undefined>
  remove(user: number, id: string): Promise<void>
  /** Oldest entries that were not refused */
  oldest(user: number, count: number): Promise<Entry[]>
  /** Refused entries */
  refused(user: number): Promise<Entry[]>
  /** Number of entries that were not refused */
  count(user: number): Promise<number>
  undos(user: number): Promise<UndoEntry[]>
  addReceipt(receipt: Receipt): Promise<void>
  findReceipt(user: number, id: string): Promise<Receipt | undefined>
  removeReceipt(user: number, id: string): Promise<void>
  receipts(user: number): Promise<Receipt[]>
  removeReceiptsBefore(at: number): Promise<void>
}

/** A store of entries. Changes are atomic and durable once done. */
export interface Store {
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /** Reads a consistent state */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>
}

/** A lock that one page of the browser holds at a time; a suspended page may lose it. */
export interface SendLock {
  isHeld(): boolean
}
