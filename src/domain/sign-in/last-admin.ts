import type { OfferedMethods } from './login-methods.js'

/** The fields of an administrator needed to decide whether the account may be removed. */
export interface Admin {
  id: number
  /** Whether the account may use password login while it is disabled for others */
  is_emergency: boolean
}

/**
 * Returns the role that would be vacant without this account: `admin` for the last administrator or, while password
 * login is disabled, `emergency` for the last emergency account, which the service needs to start. Returns undefined if
 * another account has the role, or this account is no administrator.
 */
export function vacatedRole(
  id: number,
  admins: Admin[],
  { password }: Pick<OfferedMethods, 'password'>,
): 'admin' | 'emergency' | undefined {
  if (!admins.some((admin) => admin.id === id)) return undefined
  if (admins.length === 1) return 'admin'
  return isLastEmergencyAdmin(id, admins, { password }) ? 'emergency' : undefined
}

/** Returns whether password login is disabled and the administrator is the only emergency account. */
export function isLastEmergencyAdmin(
  id: number,
  admins: Admin[],
  { password }: Pick<OfferedMethods, 'password'>,
): boolean {
  const [first, ...others] = admins.filter((admin) => admin.is_emergency)
  return !password && first?.id === id && others.length === 0
}
