import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { CARD_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { InvalidInput } from '../../src/domain/refusal.js'
import { NOT_THE_LAST, OTHER_REVIEW, REVIEW_NOT_FOUND } from '../../src/domain/review/refusals.js'
import { checkStorable, isInteger, parseId, parseInstantField } from '../../src/domain/text/parameters.js'
import { statusOf } from '../../src/http/error-body.js'
import { learnerOf } from '../../src/http/learner.js'
import { INVALID_JSON } from '../../src/http/refusals.js'
import { invalidField } from '../../src/http/schema-errors.js'
import { responses } from '../../src/http/schemas.js'
import { applyReview, type Review } from '../../src/services/review/apply-review.js'
import { applyReviews, type ReviewResult } from '../../src/services/review/apply-reviews.js'
import { undoReview } from '../../src/services/review/undo.js'
import { BatchBody, BatchResponse, ReviewBody, ReviewParams, ReviewResponse, UndoResponse } from './schemas.js'

/** Maximum size of a body in bytes: 100 reviews with client ids of maximum length, each character escaped */
const BATCH_LIMIT = 256 * 1024

const ratings: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/',
    {
      schema: {
        operationId: 'reviewCard',
        summary: 'Rate a card',
        tags: ['review'],
        body: ReviewBody,
        response: responses(ReviewResponse, [CARD_NOT_FOUND.at('card_id'), OTHER_REVIEW]),
      },
    },
    async (request) => applyReview(app.db, learnerOf(request), app.clock, readReview(request.body)),
  )

  app.post(
    '/batch',
    {
      bodyLimit: BATCH_LIMIT,
      schema: {
        operationId: 'reviewCards',
        summary: 'Rate up to 100 cards in order, with a result for each',
        tags: ['review'],
        body: BatchBody,
        response: responses(BatchResponse),
      },
    },
    async (request) => {
      const isValid = request.compileValidationSchema(ReviewBody)
      const readers = request.body.reviews.map((body) => () => {
        if (typeof body !== 'object' || body === null || Array.isArray(body)) throw INVALID_JSON
        if (!isValid(body)) throw invalidField(isValid.errors?.[0])
        return readReview(body as Static<typeof ReviewBody>)
      })
      const results = await applyReviews(app.db, learnerOf(request), app.clock, readers)
      return { results: results.map(describeResult) }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'undoReview',
        summary: "Undo the caller's latest review, if it is from today",
        tags: ['review'],
        params: ReviewParams,
        response: responses(UndoResponse, [REVIEW_NOT_FOUND, NOT_THE_LAST]),
      },
    },
    async (request) => {
      const id = parseId(request.params.id)
      if (id === undefined) throw new InvalidInput('Ungültige Bewertungs-ID')
      return undoReview(app.db, learnerOf(request), app.clock.moment(), id)
    },
  )
}

function describeResult(result: ReviewResult): Static<typeof BatchResponse>['results'][number] {
  if ('review' in result) return { status: 200, review: result.review }
  const { refusal } = result
  const { code, message: error, field = null, details = null } = refusal
  return { status: statusOf(refusal), code, error, field, details }
}

function readReview(body: Static<typeof ReviewBody>): Review {
  const { card_id, rating, client_id = null, duration_ms = null, reviewed_at = null } = body
  if (client_id !== null) checkStorable('client_id', client_id)
  const instant = reviewed_at === null ? null : parseInstantField(reviewed_at, 'reviewed_at')
  if (!isInteger(card_id)) throw CARD_NOT_FOUND.at('card_id')
  return { card_id, rating, client_id, duration_ms, reviewed_at: instant }
}

export default ratings
