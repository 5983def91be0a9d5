import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findVersion, listVersions } from '../../db/queries/content/editing/versions.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { CARD_NOT_FOUND, VERSION_NOT_FOUND, VersionOutdated } from '../../src/domain/content/refusals.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { responses } from '../../src/http/schemas.js'
import { replaceTexts } from '../../src/services/content/editing/cards.js'
import { CardVersions, EditedCardParams, EditedCardResponse, VersionParams } from './card-schemas.js'
import { describeExercise, describeSavedCard, editorOf, parseCardId } from './cards.js'
import { NOT_EDITABLE } from './decks.js'
import { RestoreBody, VersionsQuery } from './sheet-schemas.js'

const cardVersions: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/cards/:id/versions',
    {
      onRequest: app.requireEditor('card'),
      config: { isExpensive: true },
      schema: {
        operationId: 'listCardVersions',
        summary: 'The texts of a card with the change that wrote each, newest first',
        description: 'The latest 50 superseded texts and the first are kept.',
        tags: ['content'],
        params: EditedCardParams,
        querystring: VersionsQuery,
        response: responses(CardVersions, [AUTHORS_ONLY, NOT_AN_EDITOR, CARD_NOT_FOUND]),
      },
    },
    async ({ params, query }) => {
      const { limit, after: before = query.before } = query
      const found = await listVersions(app.db, 'cards', parseCardId(params.id), before, limit)
      const versions = found.map(({ exercise, ...version }) => ({ ...version, ...describeExercise(exercise) }))
      const last = versions.at(-1)?.version ?? 1
      const next = last > 1 ? last : null
      return { versions, next_after: next, next_before: next }
    },
  )

  app.post(
    '/cards/:id/versions/:version/restore',
    {
      onRequest: app.requireEditor('card'),
      schema: {
        operationId: 'restoreCardVersion',
        summary: 'Make a former text the newest version of a card',
        tags: ['content'],
        params: VersionParams,
        body: RestoreBody,
        response: responses(EditedCardResponse, [
          AUTHORS_ONLY,
          NOT_AN_EDITOR,
          CARD_NOT_FOUND,
          VERSION_NOT_FOUND,
          NOT_EDITABLE,
          new VersionOutdated(2),
        ]),
      },
    },
    async (request) => {
      const { params, body } = request
      const wanted = parseRowId(params.version, 'Ungültige Fassung')
      const id = parseCardId(params.id)
      const card = await replaceTexts(app.db, editorOf(request), id, body.version, 'restore', async (db, before) => {
        if (wanted === before.version) return before
        const texts = wanted === undefined ? undefined : await findVersion(db, 'cards', id, wanted)
        if (texts === undefined) throw VERSION_NOT_FOUND
        return texts
      })
      return describeSavedCard(card)
    },
  )
}

export default cardVersions
