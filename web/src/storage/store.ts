import type { Entry, Receipt, UndoEntry } from './entry.js'

/** Operations within a transaction. Entries keep the order of their insertion. */
export interface Tables {
  add(entry: Entry): Promise<void>
  /** Replaces the stored entry that has the same id and user; its position stays the same */
  put(entry: Entry): Promise<void>
  find(user: number, id: string): Promise<Entry | undefined>
  remove(user: number, id: string): Promise<void>
  /** Returns up to `count` of the oldest entries that were not refused */
  oldest(user: number, count: number): Promise<Entry[]>
  refused(user: number): Promise<Entry[]>
  /** Returns the number of entries that were not refused */
  count(user: number): Promise<number>
  undos(user: number): Promise<UndoEntry[]>
  addReceipt(receipt: Receipt): Promise<void>
  findReceipt(user: number, id: string): Promise<Receipt | undefined>
  removeReceipt(user: number, id: string): Promise<void>
  receipts(user: number): Promise<Receipt[]>
  removeReceiptsBefore(at: number): Promise<void>
}

/** A store of entries and receipts. Each change is atomic. */
export interface Store {
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /** Runs reads on one consistent snapshot */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>
}

/** A lock that only one page of the app in this browser holds at a time. A suspended page may lose the lock. */
export interface SendLock {
  isHeld(): boolean
}
