import { Type } from '@sinclair/typebox'
import { nullable, optional, Timestamp } from '../../src/http/schemas.js'

export const GenerateQuery = Type.Object({
  deck: optional('A deck slug; absent or empty means all decks.', 'git-grundlagen'),
  count: optional('Number of questions: 1 to 50, 10 if absent; other numbers are clamped.', '10'),
})

export const QUIZ_QUESTION = {
  card_id: Type.Integer({ examples: [42] }),
  question: Type.String({ examples: ['Was macht `git stash`?'] }),
  options: Type.Array(Type.String(), {
    description: 'Each is truncated to 120 characters.',
    examples: [['Löscht Änderungen', 'Legt Änderungen **beiseite**', 'Nimmt sie auf', 'Zeigt sie']],
  }),
  correct_index: Type.Integer({ examples: [1] }),
  full_answer: Type.String({ examples: ['Legt Änderungen **beiseite**'] }),
  deck_name: Type.String({ examples: ['Git Grundlagen'] }),
}

export const Quiz = Type.Object({
  questions: Type.Array(Type.Object(QUIZ_QUESTION, { title: 'Question' })),
  deck: Type.String({ description: 'The given slug, or `all`.', examples: ['git-grundlagen'] }),
})

export const SubmitBody = Type.Object({
  total: Type.Optional(Type.Unknown({ description: 'Converted to an integer; 0 when absent.', examples: [10] })),
  correct: Type.Optional(Type.Unknown({ description: 'Converted to an integer; 0 when absent.', examples: [7] })),
  deck: Type.Optional(
    nullable(Type.String({ maxLength: 2000, description: '`all` when absent.', examples: ['git-grundlagen'] })),
  ),
})

export const Score = Type.Object({ score: Type.Number({ description: 'Per cent, rounded.', examples: [70] }) })

export const History = Type.Object({
  results: Type.Array(
    Type.Object(
      {
        deck_slug: Type.String({ examples: ['git-grundlagen'] }),
        quiz_type: Type.String({ examples: ['multiple_choice'] }),
        score_percent: Type.Number({ examples: [70] }),
        total_questions: Type.Integer({ examples: [10] }),
        correct_answers: Type.Integer({ examples: [7] }),
        created_at: Timestamp,
      },
      { title: 'QuizResult' },
    ),
  ),
})
