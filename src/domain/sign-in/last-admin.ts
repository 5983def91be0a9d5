import type { OfferedWays } from './ways-in.js'

/** An administrator, as far as it matters whether the others can spare one. */
export interface Admin {
  id: number
  /** Gets in by password although that is switched off. */
  is_emergency: boolean
}

/**
 * What the service would lose together with that administrator: the last one, or, while passwords are switched off, the
 * last one for emergencies, without whom it does not start. Undefined when others can spare this one.
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

/** Whether the administrator is the only one who gets in by password while that is switched off. */
export function isLastForEmergencies(
  id: number,
  admins: Admin[],
  { password }: Pick<OfferedWays, 'password'>,
): boolean {
  const [first, ...others] = admins.filter((admin) => admin.is_emergency)
  return !password && first?.id === id && others.length === 0
}
