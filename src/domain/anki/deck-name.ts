/**
 * Normalises a deck name such as `A::B`: trims the parts, replaces white space and control characters with single
 * spaces and removes empty parts. Returns `Default` for an empty name.
 * @example normalizeDeckName(' Linux :: Netz') // 'Linux::Netz'
 */
export function normalizeDeckName(name: string): string {
  const parts = name.split('::').map((part) => part.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())
  return parts.filter((part) => part !== '').join('::') || 'Default'
}
