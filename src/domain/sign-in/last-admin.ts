import type { OfferedWays } from './ways-in.js'

/** An administrator, as needed to decide whether the account may be removed. */
export interface Admin {
  id: number
  /** May log in by password while it is switched off */
  is_emergency: boolean
}

/**
 * Returns what would be lost without that administrator: the last one, or, while password login is off, the last
 * emergency account, without which the service does not start. Returns undefined if another one remains.
 */
export function lostWith(
  id: number,
  admins: Admin[],
  { password }: Pick<OfferedWays, 'password'>,
): 'admin' | 'emergency' | undefined {
  const leaver = admins.find((admin) => admin.id === id)
  if (leaver === undefined) return undefined
  if (admins.length === 1) return 'admin'
  return isLastForEmergencies(id, admins, { password }) ? 'emergency' : undefined
}

/** Returns whether the administrator is the only emergency account. */
export function isLastForEmergencies(
  id: number,
  admins: Admin[],
  { password }: Pick<OfferedWays, 'password'>,
): boolean {
  const [first, ...others] = admins.filter((admin) => admin.is_emergency)
  return !password && first?.id === id && others.length === 0
}
