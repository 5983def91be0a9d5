import type { InfiniteData, QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
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

export type CardDesk = Desk<CardFields>

const PATH = '/api/content/cards/{id}'
const TEXTS = ['question', 'answer', 'level', 'draft'] as const

function storedOf({ version, ...card }: AuthorCard): Stored<CardFields> {
  const { question, answer, level, draft, form, options, tolerance, unit } = card
  return {
    version,
    fields: { question, answer, level, draft, form: form ?? 'choice', options, tolerance, unit: unit ?? '' },
  }
}

/** Returns the fields of the question, which must be sent together. */
function exerciseOf({ form, options, tolerance, unit }: CardFields) {
  const isPlain = form === 'choice' && options.length === 0
  const isNumber = form === 'number'
  return {
    form: isPlain ? null : form,
    options: options.map(({ text, correct, feedback }) => ({ text, correct, feedback: feedback || null })),
    tolerance: isNumber ? tolerance : null,
    unit: isNumber ? unit || null : null,
  }
}

function changesOf(fields: CardFields, card: AuthorCard): ChangedCard | undefined {
  const before = storedOf(card).fields
  const texts = TEXTS.filter((name) => fields[name] !== before[name])
  const exercise = exerciseOf(fields)
  const isOther = JSON.stringify(exercise) !== JSON.stringify(exerciseOf(before))
  if (texts.length === 0 && !isOther) return undefined
  return { ...Object.fromEntries(texts.map((name) => [name, fields[name]])), ...(isOther && exercise) }
}

const routes = {
  storedOf,
  changesOf,
  patch: async ({ id }: AuthorCard, body: ChangedCard) => (await api.patch(PATH, { path: { id }, body })).card,
  load: async ({ id }: AuthorCard) => (await api.get(PATH, { path: { id } })).card,
}

export function openCard(user: number, card: AuthorCard, onsaved: (card: AuthorCard) => void): CardDesk {
  return createDesk({ ...routes, user, item: `card ${card.id}`, object: card, onsaved })
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
  return createDesk({
    ...routes,
    user,
    item: `new card ${deck}`,
    fields,
    create: async (typed, client_id) => {
      const { question, answer, level, draft } = typed
      const exercise = exerciseOf(typed)
      const body: NewCard = {
        deck,
        client_id,
        question,
        answer,
        ...(level !== '' && { level }),
        ...(draft && { draft }),
        ...(exercise.form !== null && exercise),
      }
      return (await api.post('/api/content/cards', { body })).card
    },
    onsaved,
  })
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
