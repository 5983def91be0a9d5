import type { Answer } from '../../../api/client.js'
import { send, urlOf } from '../../../api/client.js'

export type BulkAnswer = Answer<'/api/accounts/bulk', 'post'>

/** Timeout in milliseconds; long, because the service hashes a password for each user. */
const TIMEOUT_MS = 10 * 60_000

/**
 * Sends a list of users as CSV. A file is sent unchanged, because the service detects its encoding.
 * @throws Fault if the request fails; `rowFaultsOf` returns the faults of the list
 */
export function sendList(list: string | Uint8Array<ArrayBuffer>, isCheck: boolean): Promise<BulkAnswer> {
  const url = urlOf('/api/accounts/bulk', {}, { check: isCheck || undefined })
  return send('POST', url, {
    headers: { accept: 'application/json', 'content-type': 'text/csv' },
    body: list,
    timeoutMs: TIMEOUT_MS,
  }) as Promise<BulkAnswer>
}
