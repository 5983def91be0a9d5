import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listSources } from '../../db/queries/content/sources.js'
import { actorOf } from '../../plugins/auth.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { IMPORT_RUNS, SOURCE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { parseFlag, parseRowId } from '../../src/domain/text/parameters.js'
import { answers, Done } from '../../src/http/schemas.js'
import { archiveSource, purgeSource, releaseSource } from '../../src/services/content/sources.js'
import { PurgeQuery, SourceList, SourceParams } from './schemas.js'

/** Sources of uploaded content. */
const sources: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'listSources',
        summary: 'The uploaded packages, tables and archives, latest first',
        tags: ['content'],
        response: answers(SourceList, [ADMINS_ONLY]),
      },
    },
    async () => ({ sources: await listSources(app.db) }),
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteSource',
        summary: 'Archive or purge a source',
        description: `Archived decks are hidden and keep all progress; another upload into the source restores them.
\`purge=true\` deletes decks, cards, progress and pictures that no other content uses.`,
        tags: ['content'],
        params: SourceParams,
        querystring: PurgeQuery,
        response: answers(Done, [ADMINS_ONLY, SOURCE_NOT_FOUND, IMPORT_RUNS]),
      },
    },
    async (request) => {
      const remove = parseFlag(request.query.purge, 'purge') ? purgeSource : archiveSource
      await remove(app.db, actorOf(request), idOf(request.params))
      return { ok: true as const }
    },
  )

  app.post(
    '/:id/release',
    {
      schema: {
        operationId: 'releaseSource',
        summary: 'Hand the decks of a source over to the content folder',
        description: `The decks are unchanged until a file with their slug describes them; cards with the ids of the
Markdown export then keep all progress. The source is deleted.`,
        tags: ['content'],
        params: SourceParams,
        response: answers(Done, [ADMINS_ONLY, SOURCE_NOT_FOUND, IMPORT_RUNS]),
      },
    },
    async (request) => {
      await releaseSource(app.db, actorOf(request), idOf(request.params))
      return { ok: true as const }
    },
  )
}

function idOf({ id }: { id: string }): number {
  const parsed = parseRowId(id, 'Ungültige Quellen-ID')
  if (parsed === undefined) throw SOURCE_NOT_FOUND
  return parsed
}

export default sources
