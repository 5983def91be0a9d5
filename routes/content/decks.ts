import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listEditedDecks } from '../../db/queries/content/editing/decks.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import {
  CONTENT_CHANGES,
  DECK_NOT_FOUND,
  NotEditable,
  SOURCE_NOT_FOUND,
  VersionOutdated,
} from '../../src/domain/content/refusals.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { isInteger } from '../../src/domain/text/parameters.js'
import { responses } from '../../src/http/schemas.js'
import { createDeck, saveDeck } from '../../src/services/content/editing/decks.js'
import { formRequestOf } from '../../src/services/create-once.js'
import {
  DeckCreation,
  DeckEdit,
  EditedDeckParams,
  EditedDeckResponse,
  EditedDecks,
  EditedDecksQuery,
} from './deck-schemas.js'

/** Refusal of a change to content that belongs to no source, with an example file */
export const NOT_EDITABLE = new NotEditable('decks/git.md')

const decks: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/decks',
    {
      onRequest: app.requireAuthor,
      schema: {
        operationId: 'listEditedDecks',
        summary: 'The decks that the caller may edit, including archived decks and pools',
        description: 'Administrators also see the decks of the content folder.',
        tags: ['content'],
        querystring: EditedDecksQuery,
        response: responses(EditedDecks, [AUTHORS_ONLY]),
      },
    },
    async ({ query, editable }) => {
      const { source: sourceId } = query
      if (!isInteger(sourceId ?? 0)) return { decks: [] }
      return { decks: await listEditedDecks(app.db, editable, { sourceId }) }
    },
  )

  app.post(
    '/decks',
    {
      onRequest: app.requireAuthor,
      preHandler: app.requireEditorOf('source', 'source_id', ({ source_id }: { source_id: unknown }) => source_id),
      schema: {
        operationId: 'createDeck',
        summary: 'Create a deck of a source',
        tags: ['content'],
        body: DeckCreation,
        response: responses(EditedDeckResponse, [
          ...[AUTHORS_ONLY, NOT_AN_EDITOR.at('source_id'), SOURCE_NOT_FOUND.at('source_id'), CONTENT_CHANGES],
          new ClientIdUsed({ slug: 'git' }),
        ]),
      },
    },
    async ({ body, user }) => ({ deck: await createDeck(app.db, body, formRequestOf(user, body)) }),
  )

  app.patch(
    '/decks/:slug',
    {
      onRequest: app.requireEditor('deck'),
      schema: {
        operationId: 'changeDeck',
        summary:
          'Rename, describe, order, archive or restore a deck, or set its language or default retention; its slug stays',
        tags: ['content'],
        params: EditedDeckParams,
        body: DeckEdit,
        response: responses(EditedDeckResponse, [
          ...[AUTHORS_ONLY, NOT_AN_EDITOR, DECK_NOT_FOUND, NOT_EDITABLE],
          new VersionOutdated(2),
        ]),
      },
    },
    async ({ params, body }) => ({ deck: await saveDeck(app.db, params.slug, body) }),
  )
}

export default decks
