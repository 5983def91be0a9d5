import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import {
  type EditedCard,
  type EditedCardWithOrigin,
  findEditedCard,
  findPlace,
  listEditedCards,
} from '../../db/queries/content/editing/cards.js'
import { actorOf } from '../../plugins/auth.js'
import { ADMINS_ONLY, AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import type { Editor } from '../../src/domain/content/editing/rights.js'
import { CARD_NOT_FOUND, CLIENT_ID_TAKEN, DECK_NOT_FOUND, VersionOutdated } from '../../src/domain/content/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import type { Exercise } from '../../src/domain/questions/exercise.js'
import { lintQuestion } from '../../src/domain/questions/lint.js'
import { InvalidParameter } from '../../src/domain/refusal.js'
import {
  checkSearchLength,
  checkStorable,
  invalidCursor,
  isInteger,
  parseRowId,
} from '../../src/domain/text/parameters.js'
import { toStorable } from '../../src/domain/text/text.js'
import { Done, responses } from '../../src/http/schemas.js'
import { purgeCard, resetProgress } from '../../src/services/content/editing/administer-card.js'
import { createCard, placeBefore, saveCard } from '../../src/services/content/editing/cards.js'
import { findSimilarCards } from '../../src/services/content/editing/similar.js'
import { findCardLines } from '../../src/services/content/folder/card-lines.js'
import {
  CardCreation,
  CardEdit,
  CardMove,
  EditedCardPage,
  EditedCardParams,
  EditedCardResponse,
  EditedCardsQuery,
  ProgressReset,
  SimilarCards,
  SimilarQuery,
} from './card-schemas.js'
import { NOT_EDITABLE } from './decks.js'

/** Maximum size of a body in bytes: about two texts of maximum length, with two bytes per character */
const CARD_BODY_LIMIT = 256 * 1024
/** Number of UTF-16 code units at the start of a question that are compared with other questions */
const MAX_QUESTION_LENGTH = 2_000

const cards: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/cards',
    {
      onRequest: app.requireAuthor,
      preHandler: app.requireEditorOf('deck', 'deck', (_body, { query }) => (query as { deck?: string }).deck),
      config: { isExpensive: true },
      schema: {
        operationId: 'listEditedCards',
        summary: 'The cards of a deck for its editors, including drafts and archived cards',
        tags: ['content'],
        querystring: EditedCardsQuery,
        response: responses(EditedCardPage, [AUTHORS_ONLY, NOT_AN_EDITOR.at('deck'), DECK_NOT_FOUND.at('deck')]),
      },
    },
    async ({ query }) => {
      const { deck, limit, after } = query
      if (deck === undefined) throw new InvalidParameter('deck', 'fehlt')
      const place = after === undefined || !isInteger(after) ? undefined : await findPlace(app.db, deck, after)
      if (after !== undefined && place === undefined) throw invalidCursor('after')
      const found = await listEditedCards(app.db, deck, parseFilter(query), place, limit + 1)
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { cards: page.map(({ sort_order: _, ...card }) => describeCard(card)), next_after: next }
    },
  )

  app.post(
    '/cards',
    {
      onRequest: app.requireAuthor,
      preHandler: app.requireEditorOf('deck', 'deck', ({ deck }: { deck: unknown }) => deck),
      bodyLimit: CARD_BODY_LIMIT,
      schema: {
        operationId: 'createCard',
        summary: 'Create a card as the last one of a deck',
        tags: ['content'],
        body: CardCreation,
        response: responses(EditedCardResponse, [
          AUTHORS_ONLY,
          NOT_AN_EDITOR.at('deck'),
          DECK_NOT_FOUND.at('deck'),
          NOT_EDITABLE,
          CLIENT_ID_TAKEN,
        ]),
      },
    },
    async (request) => {
      checkStorable('client_id', request.body.client_id)
      return describeSavedCard(await createCard(app.db, editorOf(request), request.body))
    },
  )

  app.get(
    '/cards/similar',
    {
      onRequest: app.requireAuthor,
      config: { isExpensive: true },
      schema: {
        operationId: 'findSimilarCards',
        summary: 'Cards that the caller may edit, with the same or a similar question',
        tags: ['content'],
        querystring: SimilarQuery,
        response: responses(SimilarCards, [AUTHORS_ONLY]),
      },
    },
    async ({ query, editable }) => {
      const question = toStorable((query.question ?? '').slice(0, MAX_QUESTION_LENGTH))
      const found = await findSimilarCards(app.db, editable, question, query.except)
      return {
        cards: found.map(({ deck_slug, deck_name, ...card }) => ({
          ...card,
          deck: { slug: deck_slug, name: deck_name },
        })),
      }
    },
  )

  app.get(
    '/cards/:id',
    {
      onRequest: app.requireEditor('card'),
      schema: {
        operationId: 'getEditedCard',
        summary: 'One card with its origin, even if it is archived',
        tags: ['content'],
        params: EditedCardParams,
        response: responses(EditedCardResponse, [AUTHORS_ONLY, NOT_AN_EDITOR, CARD_NOT_FOUND]),
      },
    },
    async ({ params }) => {
      const card = await findEditedCard(app.db, parseCardId(params.id))
      if (card === undefined) throw CARD_NOT_FOUND
      const saved = describeSavedCard(card)
      if (card.source !== null) return saved
      const [place] = await findCardLines(app.config.contentDir, [card])
      return { card: { ...saved.card, ...place } }
    },
  )

  app.patch(
    '/cards/:id',
    {
      onRequest: app.requireEditor('card'),
      preHandler: app.requireEditorOf('deck', 'deck', ({ deck }: { deck: unknown }) => deck),
      bodyLimit: CARD_BODY_LIMIT,
      schema: {
        operationId: 'changeCard',
        summary: 'Change the texts or the state of a card, or move it to another deck',
        description: `Texts need the \`version\` that they are based on; if the card has a newer version, nothing is
written (409). Progress of learners is unchanged.`,
        tags: ['content'],
        params: EditedCardParams,
        body: CardEdit,
        response: responses(EditedCardResponse, [
          AUTHORS_ONLY,
          NOT_AN_EDITOR,
          CARD_NOT_FOUND,
          DECK_NOT_FOUND.at('deck'),
          NOT_EDITABLE,
          new VersionOutdated(2),
        ]),
      },
    },
    async (request) =>
      describeSavedCard(await saveCard(app.db, editorOf(request), parseCardId(request.params.id), request.body)),
  )

  app.post(
    '/cards/:id/move',
    {
      onRequest: app.requireEditor('card'),
      schema: {
        operationId: 'moveCard',
        summary: 'Place a card before another one of its deck, or last',
        tags: ['content'],
        params: EditedCardParams,
        body: CardMove,
        response: responses(Done, [AUTHORS_ONLY, NOT_AN_EDITOR, CARD_NOT_FOUND, NOT_EDITABLE]),
      },
    },
    async (request) => {
      await placeBefore(app.db, editorOf(request), parseCardId(request.params.id), request.body.before)
      return { ok: true as const }
    },
  )

  app.post(
    '/cards/:id/reset-progress',
    {
      onRequest: app.requireEditor('card'),
      schema: {
        operationId: 'resetCardProgress',
        summary: 'Reset the progress of all learners of a card',
        description: 'The card becomes new for them. It cannot be undone; the audit trail names the caller.',
        tags: ['content'],
        params: EditedCardParams,
        response: responses(ProgressReset, [AUTHORS_ONLY, NOT_AN_EDITOR, CARD_NOT_FOUND]),
      },
    },
    async (request) => {
      const id = parseCardId(request.params.id)
      return { learners: await resetProgress(app.db, actorOf(request), app.clock.moment(), id) }
    },
  )

  app.delete(
    '/cards/:id',
    {
      onRequest: app.requireEditor('card'),
      preHandler: app.requireAdmin,
      schema: {
        operationId: 'purgeCard',
        summary: 'Delete a card for good, with all its versions and all progress',
        description:
          'For personal data in a text; editors archive cards instead. A file that contains the card restores it.',
        tags: ['content'],
        params: EditedCardParams,
        response: responses(Done, [AUTHORS_ONLY, NOT_AN_EDITOR, ADMINS_ONLY, CARD_NOT_FOUND]),
      },
    },
    async (request) => {
      await purgeCard(app.db, actorOf(request), parseCardId(request.params.id))
      return { ok: true as const }
    },
  )
}

/**
 * Returns the response for a card, with `file` and `line` set to null. For a card of the content folder, the caller
 * replaces both.
 */
export function describeSavedCard({ source, file: _, key: __, learners, ...card }: EditedCardWithOrigin) {
  const findings = lintQuestion(card)
  return { card: { ...describeCard(card), source, learners, file: null, line: null, findings } }
}

/**
 * Parses the id in a path.
 * @throws InvalidInput if the text is not a number
 * @throws CARD_NOT_FOUND if the number is outside the range of card ids
 * @example parseCardId('17') // 17
 */
export function parseCardId(text: string): number {
  const id = parseRowId(text, 'Ungültige Karten-ID')
  if (id === undefined) throw CARD_NOT_FOUND
  return id
}

export function editorOf({ user, editable }: FastifyRequest): Editor {
  return { id: user.id, editable }
}

function describeCard({ deck_slug, deck_name, exercise, ...card }: EditedCard) {
  return { ...card, ...describeExercise(exercise), deck: { slug: deck_slug, name: deck_name } }
}

export function describeExercise(exercise: Exercise | null) {
  const { form = null, options = [], tolerance = null, unit = null } = exercise ?? {}
  return { form, options, tolerance, unit }
}

function parseFilter({ state, level, q, questions }: Static<typeof EditedCardsQuery>) {
  if (q !== undefined) checkSearchLength('q', q)
  return {
    state,
    level: level === '' ? undefined : level,
    text: q === '' ? undefined : q,
    questions,
  }
}

export default cards
