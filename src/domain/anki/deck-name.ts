/**
 * Normalises `A::B`: trims the parts and removes characters that no deck name may contain.
 * @example tidyDeckName(' Linux :: Netz') // 'Linux::Netz'
 */
export function tidyDeckName(name: string): string {
  const parts = name.split('::').map((part) => part.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())
  return parts.filter((part) => part !== '').join('::') || 'Default'
}
