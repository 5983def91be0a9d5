/** `A::B` without blanks around its parts and without what no name may hold. */
export function tidyDeckName(name: string): string {
  const parts = name.split('::').map((part) => part.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())
  return parts.filter((part) => part !== '').join('::') || 'Default'
}
