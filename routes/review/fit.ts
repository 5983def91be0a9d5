import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FittedParameters, isGoodFit } from '../../src/domain/review/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import { returnToDefaults, summarizeFit } from '../../src/services/review/fit/choose-parameters.js'
import { FitResponse, type PublicFit } from './schemas.js'

const fit: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/settings/fit',
    {
      schema: {
        operationId: 'getFittedParameters',
        summary: "The parameters fitted to the caller's reviews, and the workload for each desired retention",
        tags: ['review'],
        response: responses(FitResponse),
      },
    },
    async (request) => {
      const { fitted, previous, ...summary } = await summarizeFit(app.db, request.user.id)
      return { ...summary, fitted: toPublic(fitted), previous: toPublic(previous) }
    },
  )

  app.delete(
    '/settings/fit',
    {
      schema: {
        operationId: 'discardFittedParameters',
        summary: 'Return to the default parameters until the next fit; no due date changes',
        tags: ['review'],
        response: responses(Done),
      },
    },
    async (request) => {
      await returnToDefaults(app.db, request.user.id)
      return { ok: true as const }
    },
  )
}

function toPublic(fit: FittedParameters | null): PublicFit | null {
  if (fit === null) return null
  const { model: _model, ...known } = fit
  return { ...known, is_good: isGoodFit(fit) }
}

export default fit
