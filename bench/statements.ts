import type { CompiledQuery, Kysely, KyselyPlugin } from 'kysely'
import type { Database } from '../db/types.js'

/** The statements that `work` sends, as they go to the server. */
export async function recordStatements(
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

/** The statement for pgbench, its parameters replaced by the given texts (literals or `:variables`). */
export function toPgbench(statement: CompiledQuery, parameters: string[]): string {
  const text = statement.sql.replace(/\$(\d+)/g, (_, number) => parameters[Number(number) - 1] as string)
  return `${text.replaceAll(/\s+/g, ' ').trim()};\n`
}
