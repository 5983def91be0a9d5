import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listEditors } from '../../db/queries/content/editors.js'
import { actorOf } from '../../plugins/auth.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR, USER_NOT_FOUND } from '../../src/domain/accounts/refusals.js'
import { LAST_EDITOR, NOT_AN_AUTHOR, SOURCE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { Done, responses } from '../../src/http/schemas.js'
import { addEditor, removeEditor } from '../../src/services/content/source-editors.js'
import { EditorList, EditorParams, SourceParams } from './schemas.js'
import { sourceIdOf } from './sources.js'

const REFUSALS = [AUTHORS_ONLY, NOT_AN_EDITOR, SOURCE_NOT_FOUND]

const sourceEditors: FastifyPluginAsyncTypebox = async (app) => {
  const onRequest = app.requireEditor('source')

  app.get(
    '/:id/editors',
    {
      schema: {
        operationId: 'listEditors',
        summary: 'The editors of a source',
        tags: ['content'],
        params: SourceParams,
        response: responses(EditorList, REFUSALS),
      },
      onRequest,
    },
    async ({ params }) => ({ editors: await listEditors(app.db, sourceIdOf(params)) }),
  )

  app.put(
    '/:id/editors/:username',
    {
      schema: {
        operationId: 'addEditor',
        summary: 'Make a user an editor of a source',
        description: 'The user must be an author or administrator.',
        tags: ['content'],
        params: EditorParams,
        response: responses(Done, [...REFUSALS, USER_NOT_FOUND, NOT_AN_AUTHOR]),
      },
      onRequest,
    },
    async (request) => {
      await addEditor(app.db, actorOf(request), sourceIdOf(request.params), request.params.username)
      return { ok: true as const }
    },
  )

  app.delete(
    '/:id/editors/:username',
    {
      schema: {
        operationId: 'removeEditor',
        summary: 'Remove an editor of a source',
        description: 'Only administrators may remove the last editor who is an author or administrator.',
        tags: ['content'],
        params: EditorParams,
        response: responses(Done, [...REFUSALS, USER_NOT_FOUND, LAST_EDITOR]),
      },
      onRequest,
    },
    async (request) => {
      const { params, user } = request
      await removeEditor(app.db, actorOf(request), sourceIdOf(params), params.username, user.is_admin)
      return { ok: true as const }
    },
  )
}

export default sourceEditors
