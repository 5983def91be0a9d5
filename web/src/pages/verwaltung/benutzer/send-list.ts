import { api, badRequestOf } from '../../../api/client.js'
import type { Query, ResponseBody } from '../../../api/types.js'
import type { RowFault } from './row-faults.js'

export type BulkAccountsResponse = ResponseBody<'/api/accounts/bulk', 'post'>
export type ServiceTokens = NonNullable<BulkAccountsResponse['service_tokens']>

/** Timeout in milliseconds; long, because the service hashes a password for each user. */
const TIMEOUT_MS = 10 * 60_000

export type ListQuery = NonNullable<Query<'/api/accounts/bulk', 'post'>>

/**
 * Sends a list of users as CSV. A file is sent unchanged, because the service detects its encoding.
 * @throws Fault if the request fails; `rowFaultsOf` returns the faults of the list
 */
export function sendList(list: string | Uint8Array<ArrayBuffer>, query: ListQuery): Promise<BulkAccountsResponse> {
  return api.post('/api/accounts/bulk', {
    query,
    upload: { type: 'text/csv', content: list },
    timeoutMs: TIMEOUT_MS,
  })
}

/** Returns the faults that the service has reported for lines of a list; empty for other errors. */
export function rowFaultsOf(error: unknown): RowFault[] {
  return badRequestOf<'/api/accounts/bulk', 'post'>(error)?.errors ?? []
}
