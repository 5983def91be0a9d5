import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TEST_NOT_FOUND, TOO_MANY_REPORTS } from '../../src/domain/content/refusals.js'
import { parseReportText } from '../../src/domain/content/reports.js'
import { UNKNOWN_OPTION } from '../../src/domain/questions/refusals.js'
import { parseAnswer } from '../../src/domain/tests/answer.js'
import {
  ASSIGNED_ONLY,
  ATTEMPT_ENDED,
  ATTEMPT_NOT_FOUND,
  CARD_GONE,
  NEWER_ANSWER,
  NO_ATTEMPT_LEFT,
  NO_LONGER_OPEN,
  NOT_OPEN_YET,
  REVIEW_CLOSED,
  SLOT_NOT_FOUND,
  WaitForNext,
} from '../../src/domain/tests/refusals.js'
import { checkStorable, parseRowId } from '../../src/domain/text/parameters.js'
import { learnerOf } from '../../src/http/learner.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { findCurrentAttempt } from '../../src/services/tests/current-attempt.js'
import { findTest, listTests } from '../../src/services/tests/list.js'
import { drawPractice } from '../../src/services/tests/practice.js'
import { reportQuestion } from '../../src/services/tests/report.js'
import { reviewAttempt, submitAttempt } from '../../src/services/tests/review.js'
import { saveAnswer } from '../../src/services/tests/save-answer.js'
import { showAttempt } from '../../src/services/tests/show-attempt.js'
import { startAttempt } from '../../src/services/tests/start.js'
import {
  AnswerBody,
  AnswerParams,
  AttemptParams,
  AttemptResponse,
  AttemptReviewResponse,
  AttemptsQuery,
  Practice,
  PracticeQuery,
  QuestionReportBody,
  QuestionReported,
  SavedAnswerResponse,
  StartBody,
  SubmitResponse,
  TestList,
  TestParams,
  TestResponse,
} from './schemas.js'

/** Refusal to start a test attempt during the pause after the previous one, with an example time */
const WAIT_FOR_NEXT = new WaitForNext('25.11.2026, 14:30')

const tests: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Test-Endpunkt'))

  app.get(
    '/',
    {
      schema: {
        operationId: 'listTests',
        summary: 'The tests that the caller may start',
        tags: ['tests'],
        response: responses(TestList),
      },
    },
    async (request) => ({ tests: await listTests(app.db, learnerOf(request), app.assignments) }),
  )

  app.get(
    '/practice',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'practise',
        summary: 'Multiple-choice questions for practice, with wrong answers by authors and from the same deck',
        description: `The options of a question are the author's, or else answers of the deck; options longer than 300
characters end with „…“. Cards without wrong answers are left out. Submit the result with \`POST /api/quiz/submit\`.`,
        tags: ['tests'],
        querystring: PracticeQuery,
        response: responses(Practice),
      },
    },
    async (request) => {
      const { deck, count } = request.query
      const slug = deck || undefined
      return { questions: await drawPractice(app.db, slug, count, learnerOf(request)), deck: slug ?? 'all' }
    },
  )

  app.get(
    '/:slug',
    {
      schema: {
        operationId: 'getTest',
        summary: "A test with its introduction and the caller's attempts",
        tags: ['tests'],
        params: TestParams,
        querystring: AttemptsQuery,
        response: responses(TestResponse, [TEST_NOT_FOUND]),
      },
    },
    async (request) => {
      const { params, query } = request
      const { limit, after: before = query.before } = query
      return findTest(app.db, learnerOf(request), params.slug, app.assignments, { before, limit })
    },
  )

  app.post(
    '/:slug/attempts',
    {
      schema: {
        operationId: 'startAttempt',
        summary: 'Start an attempt, or return the open one',
        description:
          'An open attempt at the test in another language is returned as well; attempts in all languages count.',
        tags: ['tests'],
        params: TestParams,
        body: StartBody,
        response: responses(AttemptResponse, [
          ...[TEST_NOT_FOUND, ASSIGNED_ONLY, NOT_OPEN_YET, NO_LONGER_OPEN, NO_ATTEMPT_LEFT, WAIT_FOR_NEXT],
        ]),
      },
    },
    async ({ params, body, user }) => {
      checkStorable('client_id', body.client_id)
      const start = { slug: params.slug, clientId: body.client_id }
      return { attempt: await startAttempt(app.db, user.id, start, app.assignments) }
    },
  )

  app.get(
    '/attempts/:id',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'getAttempt',
        summary: 'An attempt of the caller with its questions and stored answers',
        tags: ['tests'],
        params: AttemptParams,
        response: responses(AttemptResponse, [ATTEMPT_NOT_FOUND]),
      },
    },
    async ({ params, user }) => {
      const at = app.clock.now()
      const attempt = await findCurrentAttempt(app.db, user.id, parseAttemptId(params.id), at)
      return { attempt: await showAttempt(app.db, attempt, at) }
    },
  )

  app.put(
    '/attempts/:id/answers/:slot',
    {
      schema: {
        operationId: 'saveAnswer',
        summary: 'Store the answer to a question of an open attempt',
        description:
          'Repeating the stored `seq` with the same answer succeeds, also after the end; another answer or a smaller `seq` gets 409.',
        tags: ['tests'],
        params: AnswerParams,
        body: AnswerBody,
        response: responses(SavedAnswerResponse, [
          ...[ATTEMPT_NOT_FOUND, SLOT_NOT_FOUND, NEWER_ANSWER, ATTEMPT_ENDED, UNKNOWN_OPTION],
        ]),
      },
    },
    async ({ params, body, user }) => {
      const at = app.clock.now()
      const attemptId = parseAttemptId(params.id)
      const slot = parseRowId(params.slot, 'Ungültige Nummer der Frage')
      if (slot === undefined) throw SLOT_NOT_FOUND
      const answer = parseAnswer(body.answer)
      return saveAnswer(app.db, user.id, { attemptId, slot, seq: body.seq, answer }, at)
    },
  )

  app.post(
    '/attempts/:id/submit',
    {
      schema: {
        operationId: 'submitAttempt',
        summary: 'End an attempt and return its result, as far as the test shows it',
        tags: ['tests'],
        params: AttemptParams,
        response: responses(SubmitResponse, [ATTEMPT_NOT_FOUND]),
      },
    },
    async ({ params, user }) => ({
      attempt: await submitAttempt(app.db, user.id, parseAttemptId(params.id), app.clock.moment()),
    }),
  )

  app.get(
    '/attempts/:id/review',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'getAttemptReview',
        summary: 'The result and the questions with correct answers of an ended attempt, as far as the test shows them',
        tags: ['tests'],
        params: AttemptParams,
        response: responses(AttemptReviewResponse, [ATTEMPT_NOT_FOUND, REVIEW_CLOSED]),
      },
    },
    async ({ params, user }) => ({
      review: await reviewAttempt(app.db, user.id, parseAttemptId(params.id), app.clock.moment()),
    }),
  )

  app.post(
    '/attempts/:id/reports',
    {
      schema: {
        operationId: 'reportQuestion',
        summary: "Report a faulty question of an ended attempt; replaces the caller's open report of the same card",
        tags: ['tests'],
        params: AttemptParams,
        body: QuestionReportBody,
        response: responses(QuestionReported, [
          ...[ATTEMPT_NOT_FOUND, SLOT_NOT_FOUND.at('slot'), REVIEW_CLOSED, CARD_GONE.at('slot'), TOO_MANY_REPORTS],
        ]),
      },
    },
    async ({ params, body, user }) => {
      const report = { attemptId: parseAttemptId(params.id), slot: body.slot, text: parseReportText(body.text) }
      return { id: await reportQuestion(app.db, user.id, report, app.clock.moment()) }
    },
  )
}

function parseAttemptId(text: string): number {
  const id = parseRowId(text, 'Ungültige Versuchs-ID')
  if (id === undefined) throw ATTEMPT_NOT_FOUND
  return id
}

export default tests
