const MAX_SLUG = 80

/**
 * Returns a slug of at most 80 characters for a name; `test` if the name contains no usable character.
 * @example slugFrom('Größe & Gewicht') // 'groesse-gewicht'
 */
export function slugFrom(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, '')
  return plain === '' ? 'test' : plain
}
