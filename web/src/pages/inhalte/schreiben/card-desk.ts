import type { InfiniteData, QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { Stored } from '../../../editor/writing.js'
import { CARD_TEXT_LABELS } from '../../../words/field-labels.js'
import { type AuthorCard, type ChangedCard, contentQueries, type NewCard, type Option } from '../content-queries.js'
import { invalidateLearnerQueries } from './invalidate-learner-queries.js'

type Texts = Record<keyof typeof CARD_TEXT_LABELS, string>
export const CARD_TEXTS = Object.keys(CARD_TEXT_LABELS) as (keyof Texts)[]

export interface CardFields extends Texts {
  draft: boolean
  /** Question type; `choice` without options means a plain card without a question for tests */
  form: NonNullable<AuthorCard['form']>
  options: Option[]
  tolerance: number | null
  unit: string
}

export type CardDesk = Desk<CardFields>

const PATH = '/api/content/cards/{id}'

function eachText(of: (name: keyof Texts) => string): Texts {
  return Object.fromEntries(CARD_TEXTS.map((name) => [name, of(name)])) as Texts
}

function storedOf({ version, ...card }: AuthorCard): Stored<CardFields> {
  const { draft, form, options, tolerance, unit } = card
  const texts = eachText((name) => card[name])
  return { version, fields: { ...texts, draft, form: form ?? 'choice', options, tolerance, unit: unit ?? '' } }
}

/** Returns the texts of a card with their labels, to compare two versions. */
export function textsOf(card: Texts & Pick<CardFields, 'options'>): { label: string; text: string }[] {
  return [
    ...CARD_TEXTS.map((name) => ({ label: CARD_TEXT_LABELS[name], text: card[name] })),
    {
      label: 'Antwortmöglichkeiten',
      text: card.options.map(({ text, correct }) => `- [${correct ? 'x' : ' '}] ${text}`).join('\n'),
    },
  ]
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
  const textsIn = (of: CardFields) => ({ ...eachText((name) => of[name]), draft: of.draft })
  const texts = changedIn(textsIn(fields), textsIn(before))
  const exercise = exerciseOf(fields)
  const isOther = changedIn(exercise, exerciseOf(before)) !== undefined
  return texts || isOther ? { ...texts, ...(isOther && exercise) } : undefined
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
    ...eachText(() => ''),
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
      const exercise = exerciseOf(typed)
      const body: NewCard = {
        deck,
        client_id,
        ...eachText((name) => typed[name]),
        ...(typed.draft && { draft: true }),
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
