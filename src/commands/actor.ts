import { userInfo } from 'node:os'
import type { Actor } from '../../db/queries/accounts/audit.js'

/** Returns the operating system account for the audit trail. */
export function commandLineActor(): Actor {
  return { actor_id: null, actor: systemUser(), via: 'cli', address: null }
}

/** In a container the user id may have no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
