import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { drawCards } from '../../db/queries/quiz/draw.js'
import { insertQuizResult, listQuizResults } from '../../db/queries/quiz/results.js'
import { buildQuestion, parseCount, scorePercent, toInteger } from '../../src/domain/quiz/quiz.js'
import { checkStorable } from '../../src/domain/text/parameters.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { GenerateQuery, History, Quiz, Score, SubmitBody } from './schemas.js'

const ALL_DECKS = 'all'

const quiz: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Quiz-Endpunkt'))

  app.get(
    '/generate',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'generateQuiz',
        summary: 'Multiple-choice questions from random cards',
        tags: ['quiz'],
        querystring: GenerateQuery,
        response: responses(Quiz),
      },
    },
    async (request) => {
      const slug = request.query.deck || undefined
      const cards = await drawCards(app.db, slug, parseCount(request.query.count))
      return { questions: cards.map((card) => buildQuestion(card, card.others)), deck: slug ?? ALL_DECKS }
    },
  )

  app.post(
    '/submit',
    {
      schema: {
        operationId: 'submitQuiz',
        summary: 'Store the result of a quiz',
        tags: ['quiz'],
        body: SubmitBody,
        response: responses(Score),
      },
    },
    async (request) => {
      const total = toInteger(request.body.total, 'total')
      const correct = toInteger(request.body.correct, 'correct')
      const deck = request.body.deck ?? ALL_DECKS
      checkStorable('deck', deck)
      const score = scorePercent(correct, total)
      await insertQuizResult(app.db, {
        user_id: request.user.id,
        deck_slug: deck,
        quiz_type: 'multiple_choice',
        score_percent: score,
        total_questions: total,
        correct_answers: correct,
      })
      return { score: Number(score) }
    },
  )

  app.get(
    '/history',
    {
      schema: {
        operationId: 'getQuizHistory',
        summary: "The caller's last 20 results",
        tags: ['quiz'],
        response: responses(History),
      },
    },
    async (request) => ({ results: await listQuizResults(app.db, request.user.id) }),
  )
}

export default quiz
