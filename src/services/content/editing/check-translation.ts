import type { Kysely, Transaction } from 'kysely'
import {
  type ChangedOriginalCard,
  findOriginalState,
  listChangedCards,
  markChecked,
  type OriginalState,
} from '../../../../db/queries/content/checked-translations.js'
import { lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import { lockSheet } from '../../../../db/queries/content/editing/sheets.js'
import type { Database } from '../../../../db/types.js'
import { NOT_A_VARIANT, VersionOutdated } from '../../../domain/content/refusals.js'
import type { GroupKind } from '../../../domain/content/translations.js'

/** Maximum number of changed cards that a comparison shows */
const MAX_CARDS = 100

/** What has changed in the original since a variant was checked. */
export interface Comparison {
  original: { slug: string; lang: string; title: string }
  /** Names the state of the original */
  original_version: string
  outdated: boolean
  /** Texts of the original that differ from those that the variant was checked against */
  texts: { field: string; before: string; after: string }[]
  /** At most 100 cards; empty for sheets and tests */
  cards: ChangedOriginalCard[]
  cards_total: number
}

/** @throws NOT_A_VARIANT if the item has no original */
export async function compareWithOriginal(db: Kysely<Database>, kind: GroupKind, slug: string): Promise<Comparison> {
  const state = await findOriginalState(db, kind, slug)
  if (state === undefined) throw NOT_A_VARIANT
  const { slug: original, lang, title, version, outdated } = state
  const { cards, total } = kind === 'deck' ? await listChangedCards(db, slug, MAX_CARDS) : { cards: [], total: 0 }
  return {
    original: { slug: original, lang, title },
    original_version: version,
    outdated,
    texts: outdated ? listTextChanges(state) : [],
    cards,
    cards_total: total,
  }
}

function listTextChanges({ checked, present }: OriginalState): Comparison['texts'] {
  return Object.keys(present).flatMap((field) => {
    const [before, after] = [checked[field] ?? '', present[field] ?? '']
    return before === after ? [] : [{ field, before, after }]
  })
}

/**
 * Notes that a variant fits its original as it is now.
 * @param version state of the original that the caller has seen
 * @throws NOT_A_VARIANT if the item has no original
 * @throws VersionOutdated if the original has another state
 */
export function checkTranslation(
  db: Kysely<Database>,
  kind: GroupKind,
  slug: string,
  version: string,
): Promise<Comparison> {
  return db.transaction().execute(async (transaction) => {
    await lockOriginal(transaction, kind, slug)
    const original = await findOriginalState(transaction, kind, slug)
    if (original === undefined) throw NOT_A_VARIANT
    if (version !== original.version) {
      throw new VersionOutdated(presentVersion(kind, original.version), 'original_version')
    }
    await markChecked(transaction, kind, [slug])
    return compareWithOriginal(transaction, kind, slug)
  })
}

/** Prevents changes of the original until the end of the transaction. */
async function lockOriginal(transaction: Transaction<Database>, kind: GroupKind, slug: string): Promise<void> {
  await lockCardWriters(transaction)
  const original = kind === 'sheet' ? await findOriginalState(transaction, kind, slug) : undefined
  if (original !== undefined) await lockSheet(transaction, original.slug)
}

/** Returns the version as in the API: a number for sheets and tests, a digest for decks. */
export function presentVersion(kind: GroupKind, version: string): number | string {
  return kind === 'deck' ? version : Number(version)
}
