import { readStored } from '../platform/storage.js'
import { Unreachable } from './faults.js'

const REMEMBERED = 'training.user'

/** Comes after the first page, which seldom needs it. */
const store = () => import('../storage/kept.js')

/** Asks, and keeps the answer for a time without a network; then it is that one, with the moment it is of. */
export async function askOrRemember<T>(name: string, ask: () => Promise<T>): Promise<T & { keptAt?: number }> {
  const at = Date.now()
  const user = readStored<{ id: number }>(REMEMBERED)?.id
  try {
    const content = await ask()
    if (user !== undefined)
      void store().then(
        ({ keep }) => keep(user, name, content, at),
        () => undefined,
      )
    return content as T & { keptAt?: number }
  } catch (error) {
    const mayRemember = user !== undefined && error instanceof Unreachable
    const kept = mayRemember ? await (await store()).findKept<T>(user, name) : undefined
    if (kept === undefined) throw error
    return { ...kept.content, keptAt: kept.at }
  }
}
