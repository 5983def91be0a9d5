import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/schemas.js'

export const DeckList = Type.Object({
  decks: Type.Array(
    Type.Object({
      id: Type.Integer(),
      slug: Type.String(),
      name: Type.String(),
      description: Type.String(),
      card_count: Type.Integer(),
      reviewed: Type.Integer({ description: 'Progress records of the caller.' }),
      correct: Type.Integer({ description: 'Those last rated easy or medium.' }),
      due: Type.Integer({ description: 'Those to be reviewed today or earlier.' }),
    }),
  ),
})

export const DeckParams = Type.Object({ slug: Type.String() })

export const DeckAnswer = Type.Object({
  deck: Type.Object({
    id: Type.Integer(),
    slug: Type.String(),
    name: Type.String(),
    description: Type.String(),
    card_count: Type.Integer(),
    sort_order: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: nullable(Timestamp),
  }),
})

export const ExportText = Type.String({
  description: 'One line a card: question, answer, tag, level; separated by tabs.',
})
