import { api } from '../../../api/client.js'
import type { Body } from '../../../api/types.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { AuthorDeck } from '../content-queries.js'
import { NO_RETENTION, retentionValue } from './deck-head.js'

export interface DeckFields {
  name: string
  description: string
  lang: string
  /** Value of `retentionOptions` */
  retention: string
}

/** Fields of a new deck; its source, `tests_only` and `visibility` cannot be changed by this form later */
export interface NewDeckFields extends Pick<DeckFields, 'name' | 'description'> {
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

const bodyOf = ({ lang, retention, ...texts }: DeckFields) => ({
  ...textsOf(texts),
  lang,
  desired_retention: retention === NO_RETENTION ? null : Number(retention),
})

const fieldsOf = ({ name, description, lang, desired_retention }: AuthorDeck): DeckFields => ({
  name,
  description,
  lang,
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

export function newDeck(user: number, source_id: number, onsaved: (deck: AuthorDeck) => void): Desk<NewDeckFields> {
  return createDesk({
    user,
    item: 'new deck',
    storedOf: ({ version, name, description, tests_only, source, archived_at }: AuthorDeck) => ({
      version,
      fields: {
        name,
        description,
        tests_only,
        source_id: source?.id ?? source_id,
        visibility: archived_at === null ? 'offered' : 'draft',
      },
    }),
    changesOf: (fields: NewDeckFields, deck: AuthorDeck) => changedIn(textsOf(fields), textsOf(deck)),
    patch,
    load,
    fields: { name: '', description: '', tests_only: false, source_id, visibility: 'draft' },
    create: async (fields, client_id) => {
      const { source_id, tests_only, visibility } = fields
      const body = { source_id, client_id, ...textsOf(fields), ...(tests_only ? { tests_only } : { visibility }) }
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
