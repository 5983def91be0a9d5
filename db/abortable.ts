import type { Kysely, KyselyPlugin } from 'kysely'
import type { Database } from './types.js'

/**
 * Returns the database so that every statement throws the signal's reason once it is aborted, which rolls a
 * transaction back. A running statement is not interrupted.
 */
export function abortable(db: Kysely<Database>, signal: AbortSignal | undefined): Kysely<Database> {
  if (signal === undefined) return db
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      signal.throwIfAborted()
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return db.withPlugin(plugin)
}
