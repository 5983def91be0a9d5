import { api } from '../../../api/client.js'
import type { Body } from '../../../api/types.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { AuthorDeck } from '../content-queries.js'
import { nextLanguage } from '../gruppe/group.js'
import { NO_RETENTION, retentionValue } from './deck-head.js'

export interface DeckFields {
  name: string
  description: string
  lang: string
  /** Slug of the original; empty if there is none */
  translation_of: string
  /** Value of `retentionOptions` */
  retention: string
}

/** Fields of a new deck; its source, `tests_only` and `visibility` cannot be changed by this form later */
export interface NewDeckFields extends Pick<DeckFields, 'name' | 'description' | 'lang' | 'translation_of'> {
  source_id: number
  tests_only: boolean
  visibility: NonNullable<Creation['visibility']>
}

const PATH = '/api/content/decks/{slug}'
type Creation = Body<'/api/content/decks', 'post'>
type Changes = Body<typeof PATH, 'patch'>

const textsOf = ({ name, description }: Pick<DeckFields, 'name' | 'description'>) => ({
  name: name.trim(),
  description: description.trim(),
})

const groupOf = ({ lang, translation_of }: Pick<DeckFields, 'lang' | 'translation_of'>) => ({
  lang,
  translation_of: translation_of || null,
})

const bodyOf = ({ retention, ...fields }: DeckFields) => ({
  ...textsOf(fields),
  ...groupOf(fields),
  desired_retention: retention === NO_RETENTION ? null : Number(retention),
})

const fieldsOf = ({ name, description, lang, translation_of, desired_retention }: AuthorDeck): DeckFields => ({
  name,
  description,
  lang,
  translation_of: translation_of ?? '',
  retention: retentionValue(desired_retention),
})

const patch = async ({ slug }: AuthorDeck, body: Changes) => (await api.patch(PATH, { path: { slug }, body })).deck

/** Returns the deck as the list of decks has it now; the known state if it is no longer in the list. */
async function load(deck: AuthorDeck): Promise<AuthorDeck> {
  return (await find(deck.slug)) ?? deck
}

async function find(slug: string): Promise<AuthorDeck | undefined> {
  return (await api.get('/api/content/decks')).decks.find((one) => one.slug === slug)
}

export function openDeck(user: number, deck: AuthorDeck): Desk<DeckFields> {
  return createDesk({
    user,
    item: `deck ${deck.slug}`,
    storedOf: (stored: AuthorDeck) => ({ version: stored.version, fields: fieldsOf(stored) }),
    changesOf: (fields: DeckFields, stored: AuthorDeck) => changedIn(bodyOf(fields), bodyOf(fieldsOf(stored))),
    patch,
    load,
    object: deck,
  })
}

/** @param original original of the new deck, whose texts and settings the form begins with */
export function newDeck(
  user: number,
  source_id: number,
  original: AuthorDeck | undefined,
  onsaved: (deck: AuthorDeck) => void,
): Desk<NewDeckFields> {
  const empty = { name: '', description: '', lang: 'de', translation_of: '', tests_only: false, source_id }
  return createDesk({
    user,
    item: original === undefined ? 'new deck' : `new variant of ${original.slug}`,
    storedOf: ({ version, name, description, lang, translation_of, tests_only, source, archived_at }: AuthorDeck) => ({
      version,
      fields: {
        name,
        description,
        lang,
        translation_of: translation_of ?? '',
        tests_only,
        source_id: source?.id ?? source_id,
        visibility: archived_at === null ? 'offered' : 'draft',
      },
    }),
    changesOf: (fields: NewDeckFields, deck: AuthorDeck) =>
      changedIn(
        { ...textsOf(fields), ...groupOf(fields) },
        { ...textsOf(deck), lang: deck.lang, translation_of: deck.translation_of },
      ),
    patch,
    load,
    fields: {
      ...empty,
      ...(original !== undefined && {
        name: original.name,
        description: original.description,
        lang: nextLanguage(original),
        translation_of: original.slug,
        tests_only: original.tests_only,
      }),
      visibility: 'draft',
    },
    create: async (fields, client_id) => {
      const { source_id, tests_only, visibility } = fields
      const retention = original?.desired_retention ?? null
      const body = {
        source_id,
        client_id,
        ...textsOf(fields),
        ...groupOf(fields),
        ...(tests_only ? { tests_only } : { visibility }),
        ...(retention !== null && { desired_retention: retention }),
      }
      return (await api.post('/api/content/decks', { body })).deck
    },
    loadCreated: async ({ slug }) => {
      const deck = await find(String(slug))
      if (deck === undefined) throw new Error(`the created deck ${slug} is not in the list`)
      return deck
    },
    onsaved,
  })
}
