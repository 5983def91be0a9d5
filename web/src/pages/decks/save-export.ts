import { api } from '../../api/client.js'
import { ForeignResponse, Refused, Unreachable } from '../../api/faults.js'
import { saveFile } from '../../platform/download.js'
import { codeOf, isOwn } from '../../platform/own-response.js'

const NAME = /filename="?(?<name>[^";]+)/

/**
 * Downloads an address and saves the response under the file name in its headers. An ordinary download link would save
 * an error as a file.
 * @throws Fault if the request fails
 */
export async function saveExport(address: string): Promise<void> {
  const response = await fetchExport(address)
  saveResponse(response, await response.blob().catch(asUnreachable))
}

/**
 * Requests a file.
 * @throws Fault if the request fails
 * @throws DOMException if the signal is aborted
 */
export async function fetchExport(address: string, signal?: AbortSignal): Promise<Response> {
  // Opens the login dialog if the session has ended.
  await api.get('/api/auth/me')
  signal?.throwIfAborted()
  const response = await fetch(new URL(address, document.baseURI), { signal: signal ?? null }).catch(asUnreachable)
  if (!isOwn(response)) throw new ForeignResponse(response.status)
  const code = codeOf(response)
  if (code !== undefined) throw new Refused(response.status, code, await response.json().catch(() => undefined))
  return response
}

/** Saves the body of a response under the file name in its headers. */
export function saveResponse({ headers }: Response, body: Blob): void {
  saveFile(NAME.exec(headers.get('content-disposition') ?? '')?.groups?.name ?? 'export', body)
}

/** Throws `Unreachable` for a connection that failed, and the error of an aborted request as it is. */
export function asUnreachable(error: unknown): never {
  throw error instanceof DOMException ? error : new Unreachable()
}
