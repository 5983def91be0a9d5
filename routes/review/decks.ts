import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listStudiedDecks, setDeckRetention, switchDeck } from '../../db/queries/review/decks.js'
import { DECK_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { InvalidInput } from '../../src/domain/refusal.js'
import { learnerOf } from '../../src/http/learner.js'
import { responses } from '../../src/http/schemas.js'
import { DeckBody, StudiedDeck, StudiedDeckParams, StudiedDecks } from './schemas.js'

const NOTHING_TO_CHANGE = new InvalidInput('Das Feld „active“ oder „desired_retention“ fehlt')

const decks: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/decks',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listReviewDecks',
        summary: "The decks with the caller's counts and activation",
        tags: ['review'],
        response: responses(StudiedDecks),
      },
    },
    async (request) => {
      const { today } = app.clock.moment()
      const scope = { ...learnerOf(request), today, deckSlug: undefined }
      return { decks: await listStudiedDecks(app.db, scope), today }
    },
  )

  app.put(
    '/decks/:slug',
    {
      schema: {
        operationId: 'switchReviewDeck',
        summary: 'Activate or deactivate a deck, or choose its desired retention, for the caller',
        tags: ['review'],
        params: StudiedDeckParams,
        body: DeckBody,
        response: responses(StudiedDeck, [DECK_NOT_FOUND]),
      },
    },
    async (request) => {
      const { slug } = request.params
      const userId = request.user.id
      const { active, desired_retention } = request.body
      if (active === undefined && desired_retention === undefined) throw NOTHING_TO_CHANGE
      if (active !== undefined && !(await switchDeck(app.db, userId, slug, active))) throw DECK_NOT_FOUND
      if (desired_retention !== undefined && !(await setDeckRetention(app.db, userId, slug, desired_retention))) {
        throw DECK_NOT_FOUND
      }
      const [deck] = await listStudiedDecks(app.db, { ...learnerOf(request), today: app.clock.today(), deckSlug: slug })
      if (deck === undefined) throw DECK_NOT_FOUND
      return deck
    },
  )
}

export default decks
