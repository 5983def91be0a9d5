/**
 * Normalises a deck name such as `A::B`: trims the parts, replaces each run of white space and control characters with
 * one space, and removes empty parts. Returns `Default` if no part is left.
 * @example normalizeDeckName(' Linux :: Netz') // 'Linux::Netz'
 */
export function normalizeDeckName(name: string): string {
  const parts = name.split('::').map((part) => part.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())
  return parts.filter((part) => part !== '').join('::') || 'Default'
}
