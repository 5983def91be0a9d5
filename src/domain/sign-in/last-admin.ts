import type { OfferedMethods } from './login-methods.js'

export interface Admin {
  id: number
  is_emergency: boolean
}

/**
 * Returns the role that would be vacant without this account; undefined if there is none. `admin`: no other account has
 * administrator rights. `emergency`: password login is disabled, and no other administrator has emergency access, which
 * the service needs to start.
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

export function isLastEmergencyAdmin(
  id: number,
  admins: Admin[],
  { password }: Pick<OfferedMethods, 'password'>,
): boolean {
  const [first, ...others] = admins.filter((admin) => admin.is_emergency)
  return !password && first?.id === id && others.length === 0
}
