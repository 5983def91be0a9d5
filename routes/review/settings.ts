import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { lockLearner } from '../../db/queries/review/progress.js'
import { findQueue } from '../../db/queries/review/queue.js'
import { addExtraNew, findSettings } from '../../db/queries/review/settings.js'
import { NOT_LOGGED_IN } from '../../src/domain/accounts/refusals.js'
import { DECK_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { countsOf } from '../../src/domain/review/review.js'
import { learnerOf } from '../../src/http/learner.js'
import { responses } from '../../src/http/schemas.js'
import { changeSettings } from '../../src/services/review/fit/choose-parameters.js'
import { ExtraBody, ExtraResponse, Settings, SettingsBody } from './schemas.js'

const settings: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/settings',
    {
      schema: {
        operationId: 'getReviewSettings',
        summary: "The caller's review settings",
        tags: ['review'],
        response: responses(Settings),
      },
    },
    async (request) => findSettings(app.db, request.user.id),
  )

  app.put(
    '/settings',
    {
      schema: {
        operationId: 'updateReviewSettings',
        summary: "Change the caller's review settings, effective from the next review",
        tags: ['review'],
        body: SettingsBody,
        response: responses(Settings),
      },
    },
    async (request) => changeSettings(app.db, request.user.id, request.body),
  )

  app.post(
    '/extra',
    {
      schema: {
        operationId: 'addExtraNewCards',
        summary: 'Add new cards for today, beyond the daily number',
        tags: ['review'],
        body: ExtraBody,
        response: responses(ExtraResponse),
      },
    },
    async (request) => {
      const { today } = app.clock.moment()
      const scope = { ...learnerOf(request), today, deckSlug: undefined }
      const queue = await app.db.transaction().execute(async (transaction) => {
        if (!(await lockLearner(transaction, scope.userId))) throw NOT_LOGGED_IN
        await addExtraNew(transaction, scope, request.body.cards)
        return findQueue(transaction, scope, 1, 1)
      })
      if (queue === undefined) throw DECK_NOT_FOUND.at('deck')
      return { counts: countsOf(queue.remaining), today }
    },
  )
}

export default settings
