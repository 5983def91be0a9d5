import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findSettings, updateSettings } from '../../db/queries/review/settings.js'
import { answers } from '../../src/http/schemas.js'
import { Settings, SettingsBody } from './schemas.js'

const settings: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/settings',
    {
      schema: {
        operationId: 'getReviewSettings',
        summary: 'The own settings for studying',
        tags: ['review'],
        response: answers(Settings),
      },
    },
    async (request) => findSettings(app.db, request.user.id),
  )

  app.put(
    '/settings',
    {
      schema: {
        operationId: 'updateReviewSettings',
        summary: 'Change the own settings; they hold from the next review on',
        tags: ['review'],
        body: SettingsBody,
        response: answers(Settings),
      },
    },
    async (request) => updateSettings(app.db, request.user.id, request.body),
  )
}

export default settings
