import type { Kysely, QueryResult, RawBuilder } from 'kysely'

/** Twice the number of statements of the service with all optional parts; bounds the memory of the server. */
const MAX_NAMES = 400

/** Statements that benefit from being prepared */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b/i

const names = new Map<string, string>()
const plannedEachTime = new Set<string>()

/**
 * Returns the name under which a statement is prepared, always the same for the same text; undefined if it must be
 * planned each time, as with arrays, whose best plan depends on their length.
 */
export function nameStatement(text: string, values: readonly unknown[]): string | undefined {
  const known = names.get(text)
  if (known === undefined && (names.size >= MAX_NAMES || plannedEachTime.has(text) || !PREPARABLE.test(text))) {
    return undefined
  }
  if (values.some(Array.isArray)) return undefined
  const name = known ?? `svc_${names.size + 1}`
  names.set(text, name)
  return name
}

/** Runs a statement with a new plan for its values, because no single plan suits all of them. */
export function executePlannedEachTime<Row, DB>(statement: RawBuilder<Row>, db: Kysely<DB>): Promise<QueryResult<Row>> {
  const compiled = statement.compile(db)
  plannedEachTime.add(compiled.sql)
  return db.executeQuery(compiled)
}
