import type { Entry, Receipt, UndoEntry } from './entry.js'

/** What can be done within one transaction. Entries keep the order in which they were added. */
export interface Tables {
  add(entry: Entry): Promise<void>
  /** Replaces the entry of that id and user, which keeps its place. */
  put(entry: Entry): Promise<void>
  find(user: number, id: string): Promise<Entry | undefined>
  remove(user: number, id: string): Promise<void>
  /** The oldest entries that no refusal has set aside. */
  oldest(user: number, count: number): Promise<Entry[]>
  /** Those that a refusal has set aside. */
  refused(user: number): Promise<Entry[]>
  /** How many no refusal has set aside. */
  count(user: number): Promise<number>
  undos(user: number): Promise<UndoEntry[]>
  addReceipt(receipt: Receipt): Promise<void>
  findReceipt(user: number, id: string): Promise<Receipt | undefined>
  removeReceipt(user: number, id: string): Promise<void>
  receipts(user: number): Promise<Receipt[]>
  removeReceiptsBefore(at: number): Promise<void>
}

/** Where entries lie. All of a change is done or nothing, and once it is done it survives whatever happens. */
export interface Store {
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /** Sees one state, writes nothing. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>
}

/** A turn is had by one page of the browser at a time; it can be lost when the page is put to sleep. */
export interface Turn {
  isHeld(): boolean
}
