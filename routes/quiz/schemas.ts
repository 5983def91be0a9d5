import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/schemas.js'

export const GenerateQuery = Type.Object({
  deck: Type.Optional(Type.String({ description: 'A deck slug; absent or empty means all decks.' })),
  count: Type.Optional(
    Type.String({ description: 'How many questions: 1 to 50, 10 when absent; numbers beyond are cut.' }),
  ),
})

export const Quiz = Type.Object({
  questions: Type.Array(
    Type.Object({
      card_id: Type.Integer(),
      question: Type.String(),
      options: Type.Array(Type.String()),
      correct_index: Type.Integer(),
      full_answer: Type.String(),
      deck_name: Type.String(),
    }),
  ),
  deck: Type.String({ description: 'The given slug, or `all`.' }),
})

export const SubmitBody = Type.Object({
  total: Type.Optional(Type.Unknown({ description: 'Converted to an integer; 0 when absent.' })),
  correct: Type.Optional(Type.Unknown({ description: 'Converted to an integer; 0 when absent.' })),
  deck: Type.Optional(nullable(Type.String({ maxLength: 2000, description: '`all` when absent.' }))),
})

export const Score = Type.Object({ score: Type.Number() })

export const History = Type.Object({
  results: Type.Array(
    Type.Object({
      deck_slug: Type.String(),
      quiz_type: Type.String(),
      score_percent: Type.Number(),
      total_questions: Type.Integer(),
      correct_answers: Type.Integer(),
      created_at: Timestamp,
    }),
  ),
})
