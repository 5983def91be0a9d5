import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import {
  CARD_NOT_FOUND,
  CHANGE_NOT_FOUND,
  CHANGE_UNDONE,
  DECK_NOT_FOUND,
  NOT_UNDOABLE,
  ONE_SOURCE_ONLY,
  TOO_MANY_CARDS,
} from '../../src/domain/content/refusals.js'
import { InvalidInput, TooManyAttempts } from '../../src/domain/refusal.js'
import { checkStorable, parseRowId } from '../../src/domain/text/parameters.js'
import { responses } from '../../src/http/schemas.js'
import { type BulkTarget, changeInBulk } from '../../src/services/content/editing/bulk.js'
import { undoChange } from '../../src/services/content/editing/undo.js'
import { BulkBody, BulkChangeResponse, ChangeParams, UndoneChange } from './bulk-schemas.js'
import { describeExercise, editorOf } from './cards.js'
import { NOT_EDITABLE } from './decks.js'

type Body = { ids?: unknown; filter?: { deck?: unknown }; change?: { deck?: unknown } }

const bulk: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/cards/bulk',
    {
      onRequest: app.requireAuthor,
      preHandler: [
        app.requireEditorOfCards(({ ids }: Body) => ids),
        app.requireEditorOf('deck', 'filter/deck', ({ filter }: Body) => filter?.deck),
        app.requireEditorOf('deck', 'change/deck', ({ change }: Body) => change?.deck),
      ],
      schema: {
        operationId: 'changeCards',
        summary: 'Change many cards of a source as one entry of the history',
        description: 'All or nothing: if the text of one card would break a rule, nothing is written (400).',
        tags: ['content'],
        body: BulkBody,
        response: responses(BulkChangeResponse, [
          AUTHORS_ONLY,
          NOT_AN_EDITOR,
          CARD_NOT_FOUND,
          DECK_NOT_FOUND,
          NOT_EDITABLE,
          ONE_SOURCE_ONLY,
          TOO_MANY_CARDS,
          new TooManyAttempts(2),
        ]),
      },
    },
    async (request) => {
      const { ids, filter, change, check = false } = request.body
      if ((ids === undefined) === (filter === undefined)) {
        throw new InvalidInput('Entweder das Feld „ids“ oder das Feld „filter“ wird erwartet')
      }
      const target: BulkTarget =
        filter === undefined
          ? { ids: ids ?? [] }
          : {
              deck: filter.deck,
              filter: { state: filter.state ?? 'live', level: filter.level, text: filter.q || undefined },
            }
      if (change.replace !== undefined) checkStorable('find', change.replace.find)
      const result = await changeInBulk(app.db, editorOf(request), target, change, check)
      return {
        change_id: result.changeId,
        changed: result.changed,
        hits: result.hits,
        examples: result.examples.map(({ id, before, after }) => ({
          id,
          before: { ...before, ...describeExercise(before.exercise) },
          after: { ...after, ...describeExercise(after.exercise) },
        })),
      }
    },
  )

  app.post(
    '/changes/:change_id/undo',
    {
      onRequest: app.requireEditor('change'),
      schema: {
        operationId: 'undoChange',
        summary: 'Undo a change of cards, except for cards that have changed since',
        tags: ['content'],
        params: ChangeParams,
        response: responses(UndoneChange, [AUTHORS_ONLY, NOT_AN_EDITOR, CHANGE_NOT_FOUND, CHANGE_UNDONE, NOT_UNDOABLE]),
      },
    },
    async (request: FastifyRequest<{ Params: { change_id: string } }>) => {
      const id = parseRowId(request.params.change_id, 'Ungültige Änderungs-ID', Number.MAX_SAFE_INTEGER)
      if (id === undefined) throw CHANGE_NOT_FOUND
      return undoChange(app.db, editorOf(request), id)
    },
  )
}

export default bulk
