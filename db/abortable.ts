import type { Kysely, KyselyPlugin } from 'kysely'
import type { Database } from './types.js'

/**
 * Returns a database whose statements throw the signal's reason once the signal is aborted. An open transaction is then
 * rolled back; a running statement is not interrupted.
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
