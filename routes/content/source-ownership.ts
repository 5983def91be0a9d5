import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorOf } from '../../plugins/auth.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import {
  CHEATSHEET_NOT_FOUND,
  DECK_NOT_FOUND,
  IMPORT_RUNS,
  NOT_WRITTEN,
  OWNED_BY_SOURCE,
  SOURCE_NOT_FOUND,
} from '../../src/domain/content/refusals.js'
import { InvalidInput } from '../../src/domain/refusal.js'
import { Done, responses } from '../../src/http/schemas.js'
import { type Adopted, adopt } from '../../src/services/content/adopt.js'
import { releaseSource } from '../../src/services/content/sources.js'
import { AdoptBody, SourceParams } from './schemas.js'
import { sourceIdOf } from './sources.js'

/** Routes that move content between the content folder and sources; for administrators only. */
const sourceOwnership: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/:id/adopt',
    {
      schema: {
        operationId: 'adoptContent',
        summary: 'Move a deck or sheet of the content folder into a source',
        description: `Decks and sheets that a script created can be moved as well. Cards keep their identities, progress
and history. Later imports of the folder skip the file with a warning.`,
        tags: ['content'],
        params: SourceParams,
        body: AdoptBody,
        response: responses(Done, [
          ...[ADMINS_ONLY, SOURCE_NOT_FOUND, DECK_NOT_FOUND, CHEATSHEET_NOT_FOUND],
          ...[NOT_WRITTEN, OWNED_BY_SOURCE, IMPORT_RUNS],
        ]),
      },
    },
    async (request) => {
      await adopt(app.db, actorOf(request), sourceIdOf(request.params), adoptedOf(request.body))
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
        response: responses(Done, [ADMINS_ONLY, SOURCE_NOT_FOUND, IMPORT_RUNS]),
      },
    },
    async (request) => {
      await releaseSource(app.db, actorOf(request), sourceIdOf(request.params))
      return { ok: true as const }
    },
  )
}

function adoptedOf({ deck, sheet }: { deck?: string; sheet?: string }): Adopted {
  if (deck !== undefined && sheet === undefined) return { deck }
  if (sheet !== undefined && deck === undefined) return { sheet }
  throw new InvalidInput('Genau eines der Felder „deck“ und „sheet“ ist nötig')
}

export default sourceOwnership
