import { toLine } from '../text/text.js'

/**
 * Normalises a deck name such as `A::B`: makes each part one line without control characters, and removes empty parts.
 * Returns `Default` if no part is left.
 * @example normalizeDeckName(' Linux :: Netz') // 'Linux::Netz'
 */
export function normalizeDeckName(name: string): string {
  const parts = name.split('::').map(toLine)
  return parts.filter((part) => part !== '').join('::') || 'Default'
}
