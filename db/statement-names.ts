import type { Kysely, QueryResult, RawBuilder } from 'kysely'

/** Twice what the service has, with what is optional there and not; texts made up on the fly must not fill the server. */
const MAX_NAMES = 400

/** What gains by being prepared; `begin` and `set` do not. */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b/i

const names = new Map<string, string>()
const plannedEachTime = new Set<string>()

/**
 * The name under which a connection prepares a statement, the same for the same text; undefined when it shall be
 * planned each time: with arrays the plan depends on their lengths.
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

/** Runs a statement that is planned anew for its values each time, since one plan does not suit all of them. */
export function executePlannedEachTime<Row, DB>(statement: RawBuilder<Row>, db: Kysely<DB>): Promise<QueryResult<Row>> {
  const compiled = statement.compile(db)
  plannedEachTime.add(compiled.sql)
  return db.executeQuery(compiled)
}
