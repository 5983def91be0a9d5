import type { Answer } from '../../../api/client.js'
import { send, urlOf } from '../../../api/client.js'

type BulkAnswer = Answer<'/api/accounts/bulk', 'post'>

/** A thousand passwords take half a minute, and more on a busy machine. */
const PATIENCE_MS = 10 * 60_000

/**
 * Sends a list of users as CSV, a file byte by byte: the service knows in which encoding table programs write.
 * @throws Fault with the faults of the lines
 */
export function sendList(list: File | string, isCheck: boolean): Promise<BulkAnswer> {
  const url = urlOf('/api/accounts/bulk', {}, { check: isCheck || undefined })
  return send('POST', url, {
    headers: { accept: 'application/json', 'content-type': 'text/csv' },
    body: list,
    patience: PATIENCE_MS,
  }) as Promise<BulkAnswer>
}
