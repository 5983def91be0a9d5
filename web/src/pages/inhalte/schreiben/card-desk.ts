import type { InfiniteData, QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { Desk } from '../../../editor/desk.svelte.js'
import type { Stored } from '../../../editor/writing.js'
import { type AuthorCard, type ChangedCard, contentQueries, type NewCard, type Option } from '../content-queries.js'
import { invalidateLearnerQueries } from './invalidate-learner-queries.js'

export interface CardFields {
  question: string
  answer: string
  level: string
  draft: boolean
  /** Question type; `choice` without options means a plain card without a question for tests */
  form: NonNullable<AuthorCard['form']>
  options: Option[]
  tolerance: number | null
  unit: string
}

/** Fields that must be sent together */
const EXERCISE = ['form', 'options', 'tolerance', 'unit'] as const

export type CardDesk = Desk<CardFields>

const PATH = '/api/content/cards/{id}'

function fieldsOf({ question, answer, level, draft, form, options, tolerance, unit }: AuthorCard): CardFields {
  return { question, answer, level, draft, form: form ?? 'choice', options, tolerance, unit: unit ?? '' }
}

const storedOf = (card: AuthorCard): Stored<CardFields> => ({ version: card.version, fields: fieldsOf(card) })

const differ = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)

function bodyOf(fields: CardFields, before: CardFields): ChangedCard {
  const texts = (['question', 'answer', 'level', 'draft'] as const).filter((name) => fields[name] !== before[name])
  const isExercise = EXERCISE.some((name) => differ(fields[name], before[name]))
  return {
    ...Object.fromEntries(texts.map((name) => [name, fields[name]])),
    ...(isExercise && exerciseOf(fields)),
  }
}

function exerciseOf({ form, options, tolerance, unit }: CardFields): Pick<NewCard, (typeof EXERCISE)[number]> {
  const isPlain = form === 'choice' && options.length === 0
  const isNumber = form === 'number'
  return {
    form: isPlain ? null : form,
    options: options.map(({ text, correct, feedback }) => ({ text, correct, feedback: feedback || null })),
    tolerance: isNumber ? tolerance : null,
    unit: isNumber ? unit || null : null,
  }
}

async function load(id: number): Promise<AuthorCard> {
  return (await api.get(PATH, { path: { id } })).card
}

async function patch(before: AuthorCard, version: number, fields: CardFields): Promise<AuthorCard> {
  const body = { version, ...bodyOf(fields, fieldsOf(before)) }
  const { card } = await api.patch(PATH, { path: { id: before.id }, body })
  return { ...before, ...card }
}

export function openCard(user: number, card: AuthorCard, onsaved: (card: AuthorCard) => void): CardDesk {
  // Latest card that the service has returned. Only fields that differ from this card are sent.
  let known = card
  return new Desk<CardFields>({
    user,
    item: `card ${card.id}`,
    stored: storedOf(card),
    save: async (fields, version) => {
      known = await patch(known, version, fields)
      onsaved(known)
      return storedOf(known)
    },
    load: async () => {
      known = { ...known, ...(await load(card.id)) }
      return storedOf(known)
    },
  })
}

export function newCard(
  user: number,
  deck: string,
  preset: Pick<CardFields, 'level' | 'draft'>,
  onsaved: (card: AuthorCard) => void,
): CardDesk {
  const fields: CardFields = {
    question: '',
    answer: '',
    form: 'choice',
    options: [],
    tolerance: null,
    unit: '',
    ...preset,
  }
  const stored = { version: 0, fields }
  let created: AuthorCard | undefined
  return new Desk<CardFields>({
    user,
    item: `new card ${deck}`,
    stored,
    save: async (typed, version, client_id) => {
      if (created !== undefined) created = await patch(created, version, typed)
      else {
        const card = await create(typed, client_id)
        // An earlier request whose response was lost may have created the card with an older text. In this case, the
        // text is updated.
        const isOlder = Object.keys(bodyOf(typed, fieldsOf(card))).length > 0
        created = isOlder ? await patch(card, card.version, typed) : card
      }
      onsaved(created)
      return storedOf(created)
    },
    load: async () => (created === undefined ? stored : storedOf(await load(created.id))),
  })

  async function create(typed: CardFields, client_id: string): Promise<AuthorCard> {
    const { question, answer, level, draft } = typed
    const body: NewCard = {
      deck,
      client_id,
      question,
      answer,
      ...(level !== '' && { level }),
      ...(draft && { draft }),
      ...(EXERCISE.some((name) => differ(typed[name], fields[name])) && exerciseOf(typed)),
    }
    const { card } = await api.post('/api/content/cards', { body })
    return card
  }
}

type CardPage = { cards: AuthorCard[] }

/** Shows a saved card in the cached lists of its deck, and marks other queries as stale. */
export function cardSaved(client: QueryClient, card: AuthorCard): void {
  const { queryKey } = contentQueries.card(card.id)
  client.setQueryData(queryKey, { card })
  void client.invalidateQueries({ queryKey: [...queryKey, 'versions'] })
  client.setQueriesData<InfiniteData<CardPage>>({ queryKey: ['author', 'cards', card.deck.slug] }, (data) => {
    const replace = (page: CardPage) => ({ ...page, cards: page.cards.map((one) => (one.id === card.id ? card : one)) })
    return data && { ...data, pages: data.pages.map(replace) }
  })
  invalidateLearnerQueries(client)
}
