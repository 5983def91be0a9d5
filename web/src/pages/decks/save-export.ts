import { api } from '../../api/client.js'
import { Refused, Unreachable } from '../../api/faults.js'
import { saveFile } from '../../platform/download.js'

const NAME = /filename="?(?<name>[^";]+)/

/**
 * Saves what the address answers, under the service's name for it.
 * @throws Fault, also where a link would have saved the refusal as a file
 */
export async function saveExport(address: string): Promise<void> {
  // Asks for the login when it has ended.
  await api.get('/api/auth/me')
  const answer = await fetch(new URL(address, document.baseURI)).catch(() => {
    throw new Unreachable()
  })
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => undefined))
  const file = await answer.blob().catch(() => {
    throw new Unreachable()
  })
  saveFile(NAME.exec(answer.headers.get('content-disposition') ?? '')?.groups?.name ?? 'export', file)
}
