import type { Kysely, Transaction } from 'kysely'
import { abortable } from '../../../db/abortable.js'
import { isContentConflict } from '../../../db/errors.js'
import type { Database } from '../../../db/types.js'
import { CONTENT_CHANGES } from '../../domain/content/refusals.js'

/** Maximum number of attempts; an attempt fails if another request or a script writes the same rows concurrently */
const ATTEMPTS = 3

const importing = new WeakSet<Kysely<Database>>()

/** Returns whether this process is importing into the database. */
export function isImporting(db: Kysely<Database>): boolean {
  return importing.has(db)
}

/** Runs the work and returns its result; returns undefined if this process is already importing into the database. */
export async function importAlone<T>(db: Kysely<Database>, work: () => Promise<T>): Promise<T | undefined> {
  if (importing.has(db)) return undefined
  importing.add(db)
  try {
    return await work()
  } finally {
    importing.delete(db)
  }
}

/**
 * Runs the work in a transaction and retries it after a conflict with a concurrent change.
 * @param signal rolls the transaction back; the signal's reason is thrown
 * @throws CONTENT_CHANGES if the third attempt also fails because of a conflict
 */
export async function retryOnConflict<T>(
  db: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await abortable(db, signal).transaction().execute(work)
    } catch (error) {
      if (!isContentConflict(error)) throw error
    }
  }
  throw CONTENT_CHANGES
}
