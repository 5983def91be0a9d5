import { type AuditEntry, listAuditEntries } from '../../db/queries/accounts/audit.js'
import type { Config } from '../config.js'
import { escapeField } from '../domain/text/printable.js'
import { withDatabase } from './store.js'

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

function toLine({ at, actor, via, address, action, target, target_id, details }: AuditEntry): string {
  const object = target === null ? `${target_id ?? ''}` : `${target} (${target_id})`
  const more = details === null ? '' : JSON.stringify(details)
  return [at.toISOString(), actor, address ?? via, action, object, more].map(escapeField).join('\t')
}
