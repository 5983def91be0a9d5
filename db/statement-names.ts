import type { Kysely, QueryResult, RawBuilder } from 'kysely'

/** Maximum number of distinct prepared statements, which bounds the memory of the server; the service has about 200. */
const MAX_NAMES = 400

/** Start of a statement that benefits from being prepared */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b/i

const names = new Map<string, string>()
const plannedEachTime = new Set<string>()

/**
 * Returns the name under which a statement is prepared. Returns undefined for a statement that must not be prepared: if
 * `MAX_NAMES` other statements have names, if a value is an array (the best plan depends on its length), if
 * `executePlannedEachTime` runs the statement, or if the statement is neither a query nor a data modification.
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

/** Runs a statement without preparing it, so that the server plans it for its values each time. */
export function executePlannedEachTime<Row, DB>(statement: RawBuilder<Row>, db: Kysely<DB>): Promise<QueryResult<Row>> {
  const compiled = statement.compile(db)
  plannedEachTime.add(compiled.sql)
  return db.executeQuery(compiled)
}
