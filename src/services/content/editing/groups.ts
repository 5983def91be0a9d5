import type { Kysely, Transaction } from 'kysely'
import { markChecked } from '../../../../db/queries/content/checked-translations.js'
import { findGroupItems, joinGroups, leaveGroups } from '../../../../db/queries/content/translations.js'
import { keepStudiedDecks } from '../../../../db/queries/review/joined-decks.js'
import type { Database } from '../../../../db/types.js'
import { ORIGINAL_ARCHIVED } from '../../../domain/content/refusals.js'
import {
  findReplaced,
  type GroupKind,
  requireGroup,
  type StoredGroupItem,
} from '../../../domain/content/translations.js'

/**
 * Writes the language and the original of a stored item. An archived variant that has the language leaves the group. A
 * new variant counts as checked against the original.
 * The caller must hold the lock of `lockCardWriters`, so that no other request changes the group meanwhile.
 * @throws NotInGroup if the item cannot be in the group
 */
export async function placeInGroup(
  transaction: Transaction<Database>,
  kind: GroupKind,
  change: { id: number; slug: string; lang: string; translation_of: string | null },
): Promise<void> {
  const { id, slug, lang, translation_of } = change
  const named = [slug, ...(translation_of === null ? [] : [translation_of])]
  const found = await findGroupItems(transaction, kind, named)
  const stored = found.find((item) => item.id === id)
  const { source_id = null, tests_only = false } = stored ?? {}
  const item = { slug, lang, translation_of, source_id, isLive: true, tests_only }
  const replaced = findReplaced(
    found.filter((other) => other.id !== id),
    [item],
  )
  // The item itself stays in the list, because it may name itself as its original.
  requireGroup(
    item,
    found.filter((other) => !replaced.includes(other)),
  )
  await leaveGroups(transaction, kind, [id, ...replaced.map((other) => other.id)])
  await joinGroups(transaction, kind, [change])
  if (translation_of === (stored?.translation_of ?? null)) return
  if (kind === 'deck') await keepStudiedDecks(transaction, [slug])
  await markChecked(transaction, kind, [slug])
}

/** @throws ORIGINAL_ARCHIVED if the original of a variant is archived; `original` is its slug, or null */
export async function requireLiveOriginal(
  db: Kysely<Database>,
  kind: GroupKind,
  original: string | null,
): Promise<void> {
  if (original === null) return
  const items = await findGroupItems(db, kind, [original])
  if (items.some(({ slug, isLive }) => slug === original && !isLive)) throw ORIGINAL_ARCHIVED
}

/** Returns the variants of an original that are not archived. */
export async function findLiveVariants(
  db: Kysely<Database>,
  kind: GroupKind,
  original: string,
): Promise<StoredGroupItem[]> {
  const items = await findGroupItems(db, kind, [original])
  return items.filter(({ translation_of, isLive }) => translation_of === original && isLive)
}
