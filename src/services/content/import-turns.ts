import type { Kysely, Transaction } from 'kysely'
import { isContentOvertaken } from '../../../db/errors.js'
import type { Database } from '../../../db/types.js'
import { CONTENT_CHANGES } from '../../domain/refusals.js'

/** Plans of one import: a script may write the same rows meanwhile. */
const ATTEMPTS = 3

/** The databases that this process imports into at the moment. */
const importing = new WeakSet<Kysely<Database>>()

/** Whether this process is importing into the database. */
export function isImporting(db: Kysely<Database>): boolean {
  return importing.has(db)
}

/** Works while no other import of this process does; undefined when another one is at it. */
export async function importAlone<T>(db: Kysely<Database>, work: () => Promise<T>): Promise<T | undefined> {
  if (importing.has(db)) return undefined
  importing.add(db)
  try {
    return await work()
  } finally {
    importing.delete(db)
  }
}

/** In one transaction; begins anew when somebody else has changed what the plan was made for. @throws CONTENT_CHANGES */
export async function whileOvertaken<T>(
  db: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isContentOvertaken(error)) throw error
    }
  }
  throw CONTENT_CHANGES
}
