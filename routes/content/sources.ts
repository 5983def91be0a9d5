import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { listSources } from '../../db/queries/content/sources.js'
import { actorOf } from '../../plugins/auth.js'
import { ADMINS_ONLY, AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { parseLabel } from '../../src/domain/content/editing/texts.js'
import { IMPORT_RUNS, SOURCE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { parseFlag, parseRowId } from '../../src/domain/text/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import {
  archiveSource,
  createSource,
  purgeSource,
  renameSource,
  restoreSource,
} from '../../src/services/content/sources.js'
import { formRequestOf } from '../../src/services/create-once.js'
import { CreateSourceBody, PurgeQuery, SourceBody, SourceList, SourceParams, SourceResponse } from './schemas.js'

const REFUSALS = [AUTHORS_ONLY, NOT_AN_EDITOR, SOURCE_NOT_FOUND]

/** Routes for sources: content that was uploaded or is written in the browser. */
const sources: FastifyPluginAsyncTypebox = async (app) => {
  const requireEditor = app.requireEditor('source')

  app.get(
    '/',
    {
      schema: {
        operationId: 'listSources',
        summary: 'The sources that the caller may edit, latest first',
        description: 'Administrators may edit all sources.',
        tags: ['content'],
        response: responses(SourceList, [AUTHORS_ONLY]),
      },
      onRequest: app.requireAuthor,
    },
    async (request) => ({ sources: await listSources(app.db, request.editable) }),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createSource',
        summary: 'Create a source that is written in the browser',
        description: 'The caller becomes its editor.',
        tags: ['content'],
        body: CreateSourceBody,
        response: responses(SourceResponse, [AUTHORS_ONLY, new ClientIdUsed({ id: 3 })]),
      },
      onRequest: app.requireAuthor,
    },
    async (request) => {
      const { body, user } = request
      const name = parseLabel('name', body.name)
      return { source: await createSource(app.db, actorOf(request), name, formRequestOf(user, body)) }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'renameSource',
        summary: 'Rename a source',
        tags: ['content'],
        params: SourceParams,
        body: SourceBody,
        response: responses(SourceResponse, REFUSALS),
      },
      onRequest: requireEditor,
    },
    async (request) => {
      const name = parseLabel('name', request.body.name)
      return { source: await renameSource(app.db, actorOf(request), sourceIdOf(request.params), name) }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteSource',
        summary: 'Archive or purge a source',
        description: `Archived decks are hidden and keep all progress; a restore or another upload into the source brings
them back. \`purge=true\` deletes decks, cards, progress and pictures that no other content uses; administrators only.`,
        tags: ['content'],
        params: SourceParams,
        querystring: PurgeQuery,
        response: responses(Done, [...REFUSALS, ADMINS_ONLY, IMPORT_RUNS]),
      },
      onRequest: [requireEditor, requireAdminToPurge],
    },
    async (request) => {
      const remove = request.query.purge ? purgeSource : archiveSource
      await remove(app.db, actorOf(request), sourceIdOf(request.params))
      return { ok: true as const }
    },
  )

  app.post(
    '/:id/restore',
    {
      schema: {
        operationId: 'restoreSource',
        summary: 'Restore an archived source',
        description: 'Restores the content that was archived with it; content archived earlier stays archived.',
        tags: ['content'],
        params: SourceParams,
        response: responses(Done, [...REFUSALS, IMPORT_RUNS]),
      },
      onRequest: requireEditor,
    },
    async (request) => {
      await restoreSource(app.db, actorOf(request), sourceIdOf(request.params))
      return { ok: true as const }
    },
  )

  async function requireAdminToPurge({ query, user }: FastifyRequest): Promise<void> {
    if (parseFlag((query as { purge?: string }).purge, 'purge') && !user.is_admin) throw ADMINS_ONLY
  }
}

/**
 * Parses the id in a path.
 * @throws InvalidInput if the id is not an integer
 * @throws SOURCE_NOT_FOUND if the number is outside the range of ids
 * @example sourceIdOf({ id: '3' }) // 3
 */
export function sourceIdOf({ id }: { id: string }): number {
  const parsed = parseRowId(id, 'Ungültige Quellen-ID')
  if (parsed === undefined) throw SOURCE_NOT_FOUND
  return parsed
}

export default sources
