import type { Kysely } from 'kysely'
import { lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import {
  type DeckEdit,
  type EditedDeck,
  findDeckSlug,
  findDeckToEdit,
  findLastDeckOrder,
  findSlugsLike,
  insertDeck,
  listEditedDecks,
  lockDeck,
  updateDeck,
} from '../../../../db/queries/content/editing/decks.js'
import { lockSourceAgainstDeletion } from '../../../../db/queries/content/editing/sheets.js'
import type { Database } from '../../../../db/types.js'
import type { DeckVisibility } from '../../../domain/content/deck-visibility.js'
import { parseDescription, parseLabel, parseLanguage, parseOriginal } from '../../../domain/content/editing/texts.js'
import { FreeSlugs, RESERVED_DECKS, slugFrom } from '../../../domain/content/format/slug.js'
import {
  CONTENT_CHANGES,
  DECK_NOT_FOUND,
  NotEditable,
  requireVersion,
  SOURCE_NOT_FOUND,
} from '../../../domain/content/refusals.js'
import { DEFAULT_LANGUAGE } from '../../../domain/content/translations.js'
import { createOnce, type FormRequest } from '../../create-once.js'
import { findLiveVariants, placeInGroup, requireLiveOriginal } from './groups.js'

export interface DeckCreation {
  source_id: number
  name: string
  description?: string | undefined
  sort_order?: number | undefined
  tests_only?: boolean | undefined
  lang?: string | undefined
  translation_of?: string | null | undefined
  desired_retention?: number | null | undefined
  visibility?: DeckVisibility | undefined
}

/** Maximum number of attempts to insert a deck; an attempt fails if a concurrent request takes the slug. */
const ATTEMPTS = 5

/**
 * Creates a deck of a source with a slug derived from the name. Without `sort_order`, the deck becomes the last one.
 * A repeated request creates none and returns the deck in its current state.
 * @throws InvalidInput if the name, description or language is invalid
 * @throws NotInGroup if the deck cannot be a variant of `translation_of`
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws ClientIdUsed if the client id belongs to another deck
 * @throws CONTENT_CHANGES if concurrent requests keep taking the slugs
 */
export async function createDeck(
  db: Kysely<Database>,
  creation: DeckCreation,
  request?: FormRequest,
): Promise<EditedDeck> {
  const { source_id, tests_only = false, desired_retention = null, visibility = 'active' } = creation
  const translation_of = parseOriginal(creation.translation_of)
  const name = parseLabel('name', creation.name)
  const description = parseDescription(creation.description ?? '')
  const lang = parseLanguage(creation.lang ?? DEFAULT_LANGUAGE)
  const parsed = { source_id, tests_only, name, description, lang, desired_retention, visibility }
  const word = slugFrom(name)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const slug = new FreeSlugs(await findSlugsLike(db, word || 'deck'), RESERVED_DECKS, 'deck').take(word)
    const stored = await db.transaction().execute(async (transaction) => {
      const id = await createOnce(transaction, request, {
        kind: 'deck',
        input: { ...parsed, ...(translation_of !== null && { translation_of }), sort_order: creation.sort_order },
        create: async () => {
          if (translation_of !== null) await lockCardWriters(transaction)
          // The source may have been deleted since the request was authorised.
          if (!(await lockSourceAgainstDeletion(transaction, source_id))) throw SOURCE_NOT_FOUND.at('source_id')
          const sort_order = creation.sort_order ?? (await findLastDeckOrder(transaction))
          const id = await insertDeck(transaction, { ...parsed, slug, sort_order })
          if (id !== undefined && translation_of !== null) {
            await placeInGroup(transaction, 'deck', { id, slug, lang, translation_of })
          }
          return id
        },
        name: async (known) => {
          const slug = await findDeckSlug(transaction, known)
          return slug === undefined ? undefined : { slug }
        },
      })
      return id === undefined ? undefined : findDeckSlug(transaction, id)
    })
    if (stored !== undefined) return readBack(db, stored)
  }
  throw CONTENT_CHANGES
}

/**
 * Changes a deck; its slug stays. A change without effect writes nothing. An archived original archives its variants;
 * restoring it does not restore them, because they may have been archived before.
 * @param version version that the change is based on; undefined skips the check
 * @throws InvalidInput if the name, description or language is invalid
 * @throws DECK_NOT_FOUND if the deck does not exist
 * @throws NotEditable if the deck belongs to no source
 * @throws VersionOutdated if the deck has changed since `version`
 * @throws NotInGroup if the deck cannot have this original or language
 * @throws ORIGINAL_ARCHIVED if a variant is to be restored whose original is archived
 */
export async function saveDeck(
  db: Kysely<Database>,
  slug: string,
  { version, ...edit }: DeckEdit & { version?: number | undefined },
): Promise<EditedDeck> {
  // Picks the known fields, because the request body may contain others.
  const { name, description, sort_order, archived, lang, translation_of, desired_retention } = edit
  const parsed = {
    sort_order,
    archived,
    desired_retention,
    name: name === undefined ? undefined : parseLabel('name', name),
    description: description === undefined ? undefined : parseDescription(description),
    lang: lang === undefined ? undefined : parseLanguage(lang),
    translation_of: translation_of === undefined ? undefined : parseOriginal(translation_of),
  }
  await db.transaction().execute(async (transaction) => {
    // This lock must precede any lock on the deck, because writers of cards lock in the same order.
    if ([archived, lang, translation_of].some((value) => value !== undefined)) await lockCardWriters(transaction)
    await lockDeck(transaction, slug)
    const deck = await findDeckToEdit(transaction, slug)
    if (deck === undefined) throw DECK_NOT_FOUND
    if (deck.source_id === null) throw new NotEditable(deck.file)
    const before = await readBack(transaction, slug)
    requireVersion(version, before.version)
    if (!hasChanges(before, parsed)) return
    const group = { lang: parsed.lang ?? before.lang, translation_of: before.translation_of }
    if (parsed.translation_of !== undefined) group.translation_of = parsed.translation_of
    const isElsewhere = group.lang !== before.lang || group.translation_of !== before.translation_of
    if (archived === false) await requireLiveOriginal(transaction, 'deck', group.translation_of)
    if (isElsewhere) await placeInGroup(transaction, 'deck', { id: deck.id, slug, ...group })
    await updateDeck(transaction, deck, parsed)
    if (archived !== true) return
    for (const variant of await findLiveVariants(transaction, 'deck', slug)) {
      const found = await findDeckToEdit(transaction, variant.slug)
      if (found !== undefined) await updateDeck(transaction, found, { archived })
    }
  })
  return readBack(db, slug)
}

function hasChanges(before: EditedDeck, edit: DeckEdit): boolean {
  const stored: DeckEdit = { ...before, archived: before.archived_at !== null }
  return (Object.keys(edit) as (keyof DeckEdit)[]).some(
    (name) => edit[name] !== undefined && edit[name] !== stored[name],
  )
}

async function readBack(db: Kysely<Database>, slug: string): Promise<EditedDeck> {
  const [deck] = await listEditedDecks(db, 'all', { slug })
  if (deck === undefined) throw DECK_NOT_FOUND
  return deck
}
