import { type AuditEntry, listAuditEntries } from '../../db/queries/accounts/audit.js'
import type { Config } from '../config.js'
import { toField } from '../domain/text/printable.js'
import { withDatabase } from './store.js'

/** Prints the last entries, newest first: one line each, or one JSON object. */
export async function printAudit(
  config: Config,
  options: { limit: number; json?: boolean },
  print: (line: string) => void,
): Promise<void> {
  const entries = await withDatabase(config, 'GET /api/accounts/audit', (db) =>
    listAuditEntries(db, { limit: options.limit }),
  )
  if (options.json) return print(JSON.stringify({ entries }))
  for (const entry of entries) print(toLine(entry))
}

/** When, who, from where, what, whom, and the details, separated by tabs. */
function toLine({ at, actor, via, address, action, target, target_id, details }: AuditEntry): string {
  const whom = target === null ? `${target_id ?? ''}` : `${target} (${target_id})`
  const more = details === null ? '' : JSON.stringify(details)
  return [at.toISOString(), actor, address ?? via, action, whom, more].map(toField).join('\t')
}
