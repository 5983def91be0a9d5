import { userInfo } from 'node:os'
import type { Actor } from '../../db/queries/accounts/audit.js'

/** Who uses the command line, for the audit trail: the account of the operating system. */
export function commandLineActor(): Actor {
  return { actor_id: null, actor: systemUser(), via: 'cli', address: null }
}

/** A container may run under a number that has no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
