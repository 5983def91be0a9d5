import type { Kysely, QueryResult, RawBuilder } from 'kysely'

/** Maximum number of prepared statements, which bounds the memory of the server; the service has half as many. */
const MAX_NAMES = 400

/** Start of a statement that benefits from being prepared */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b/i

const names = new Map<string, string>()
const plannedEachTime = new Set<string>()

/**
 * Returns the name under which a statement is prepared, always the same for the same text. Returns undefined if it is
 * not prepared: after `MAX_NAMES` names, or if its best plan depends on the values, such as the length of an array.
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

/** Runs a statement unprepared, so that it is planned for its values; for statements that no single plan suits. */
export function executePlannedEachTime<Row, DB>(statement: RawBuilder<Row>, db: Kysely<DB>): Promise<QueryResult<Row>> {
  const compiled = statement.compile(db)
  plannedEachTime.add(compiled.sql)
  return db.executeQuery(compiled)
}
