import { type CompiledQuery, type Kysely, type KyselyPlugin, sql } from 'kysely'
import { findSession } from '../../dist/db/queries/accounts/sessions.js'
import type { Database } from '../../dist/db/types.js'
import { type Script, withDatabase } from './postgres.js'

async function recordStatements(
  db: Kysely<Database>,
  work: (recorded: Kysely<Database>) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const statements: CompiledQuery[] = []
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(db.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await work(db.withPlugin(recorder))
  return statements
}

export async function listTexts(
  databaseUrl: string,
  work: (db: Kysely<Database>) => Promise<unknown>,
): Promise<string[]> {
  return withDatabase(databaseUrl, async (db) => {
    const session = await recordStatements(db, (recorded) => findSession(recorded, Buffer.alloc(32), 30, undefined))
    return [...session, ...(await recordStatements(db, work))].map(({ sql: text }) => text)
  })
}

/** Placeholder for the user id while statements are recorded; scripts replace it with a variable. */
export const CALLER = 1_234_567

/**
 * Returns the statements of a request as a pgbench script: the session lookup and those of `work`, which uses `CALLER`
 * as the user id. Each transaction picks a random id between the lowest and the highest id of the users who have a
 * session and whose names match the LIKE pattern.
 */
export async function createScript(
  databaseUrl: string,
  usernames: string,
  work: (db: Kysely<Database>) => Promise<unknown>,
): Promise<Script> {
  return withDatabase(databaseUrl, async (db) => {
    const { rows } = await sql<{ hash: string; first: number; last: number }>`
      select min(encode(id_hash, 'hex')) as hash, min(user_id) as first, max(user_id) as last
      from sessions join users on users.id = user_id where username like ${usernames}`.execute(db)
    const { hash, first, last } = rows[0] ?? {}
    const statements = [
      ...(await recordStatements(db, (recorded) => findSession(recorded, Buffer.alloc(32), 30, undefined))),
      ...(await recordStatements(db, work)),
    ]
    const variables: Record<string, string> = {}
    const toVariable = (value: unknown) => {
      if (value === CALLER) return ':user'
      if (value === null) return 'null'
      const name = `value${Object.keys(variables).length}`
      variables[name] = Buffer.isBuffer(value) ? `\\x${hash}` : String(value)
      return `:${name}`
    }
    const lines = statements.map(({ sql: text, parameters }) => {
      const known = new Map(parameters.map((value, index) => [String(index + 1), toVariable(value)]))
      const filled = text.replace(/\$(\d+)/g, (_, number) => known.get(number) as string)
      return `${filled.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()};\n`
    })
    return { text: [`\\set user random(${first}, ${last})\n`, ...lines].join(''), variables }
  })
}
