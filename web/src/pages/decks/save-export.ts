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
  // Opens the login dialog if the session has ended.
  await api.get('/api/auth/me')
  const response = await fetch(new URL(address, document.baseURI)).catch(() => {
    throw new Unreachable()
  })
  if (!isOwn(response)) throw new ForeignResponse(response.status)
  const code = codeOf(response)
  if (code !== undefined) throw new Refused(response.status, code, await response.json().catch(() => undefined))
  const file = await response.blob().catch(() => {
    throw new Unreachable()
  })
  saveFile(NAME.exec(response.headers.get('content-disposition') ?? '')?.groups?.name ?? 'export', file)
}
