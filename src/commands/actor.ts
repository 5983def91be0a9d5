import { userInfo } from 'node:os'
import type { Actor } from '../../db/queries/accounts/audit.js'

export function commandLineActor(): Actor {
  return { actor_id: null, actor: systemUser(), via: 'cli', address: null }
}

/** Returns the name of the system account, or `uid <number>` in a container where the id has no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
