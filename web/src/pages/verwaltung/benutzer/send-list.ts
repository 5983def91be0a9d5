import type { Answer } from '../../../api/client.js'
import { send, urlOf } from '../../../api/client.js'

export type BulkAnswer = Answer<'/api/accounts/bulk', 'post'>

/** Hashing a thousand passwords takes half a minute or more. */
const PATIENCE_MS = 10 * 60_000

/**
 * Sends a list of users as CSV, a file unchanged, because the service detects its encoding.
 * @throws Fault with the faults by line
 */
export function sendList(list: string | Uint8Array<ArrayBuffer>, isCheck: boolean): Promise<BulkAnswer> {
  const url = urlOf('/api/accounts/bulk', {}, { check: isCheck || undefined })
  return send('POST', url, {
    headers: { accept: 'application/json', 'content-type': 'text/csv' },
    body: list,
    patience: PATIENCE_MS,
  }) as Promise<BulkAnswer>
}
