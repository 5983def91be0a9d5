/**
 * Returns the items of a list that the user sees: of a deck, sheet or test with variants only the preferred one. A copy
 * that an earlier version has cached does not tell it.
 */
export function preferredOf<T extends { preferred?: boolean }>(items: readonly T[]): T[] {
  return items.filter(({ preferred }) => preferred !== false)
}

/** Returns the variants in the group of the item by language; empty if it has none. */
export function groupOf<T extends { slug: string; lang: string; translation_of: string | null }>(
  items: readonly T[],
  slug: string,
): T[] {
  const own = items.find((item) => item.slug === slug)
  const original = own?.translation_of ?? slug
  const group = items.filter((item) => item.slug === original || item.translation_of === original)
  return group.length < 2 ? [] : group.sort((one, other) => (one.lang < other.lang ? -1 : 1))
}
