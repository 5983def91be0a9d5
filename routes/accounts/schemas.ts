import { Type } from '@sinclair/typebox'
import { nullable, Timestamp, User } from '../../src/http/schemas.js'

export const AccountParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['7'] }) })

export const AccountAnswer = Type.Object({ user: User })

const DisplayName = Type.Optional(
  Type.String({ description: '1 to 200 characters after trimming.', examples: ['Erika Muster'] }),
)

export const ChangeAccountBody = Type.Object({
  display_name: DisplayName,
  is_admin: Type.Optional(Type.Boolean()),
  password: Type.Optional(
    Type.String({
      description: "6 to 1,000 characters; ends the user's sessions and API tokens. Not for the own account.",
      examples: ['vier zufällige Wörter'],
    }),
  ),
})

export const ChangeOwnAccountBody = Type.Object({ display_name: DisplayName })

const Session = {
  id: Type.Integer(),
  address: nullable(Type.String({ description: 'Where the login came from.' })),
  user_agent: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Timestamp,
}

export const SessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({ ...Session, current: Type.Boolean({ description: 'The session of this request.' }) }),
  ),
})

export const AccessParams = Type.Object({
  id: Type.String({ description: 'Of the user; decimal digits.', examples: ['7'] }),
  rowId: Type.String({ description: 'Of the session or token; decimal digits.', examples: ['12'] }),
})

export const SessionParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['12'] }) })

export const OwnDataAnswer = Type.Object({
  user: User,
  sessions: Type.Array(Type.Object(Session)),
  tokens: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      created_at: Timestamp,
      last_used_at: nullable(Timestamp),
      expires_at: nullable(Timestamp),
      scopes: Type.Array(Type.String()),
    }),
  ),
  progress: Type.Array(
    Type.Object({
      card_id: Type.Integer(),
      deck_slug: Type.String(),
      question: Type.String(),
      last_rating: nullable(Type.String()),
      next_review: nullable(Type.String({ format: 'date' })),
      stability: nullable(Type.Number()),
      difficulty: nullable(Type.Number()),
      last_review: nullable(Type.String({ format: 'date' })),
      reps: Type.Integer(),
      lapses: Type.Integer(),
    }),
  ),
  reviews: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: Type.String(),
      undoes: nullable(Type.Integer()),
      card_id: Type.Integer(),
      rating: nullable(Type.String()),
      duration_ms: nullable(Type.Integer()),
      studied_on: Type.String({ format: 'date' }),
      before: Type.Unknown(),
      after: Type.Unknown(),
      applied: Type.Boolean(),
      created_at: Timestamp,
    }),
  ),
  suspended_cards: Type.Array(Type.Integer()),
  inactive_decks: Type.Array(Type.String()),
  reports: Type.Array(
    Type.Object({
      id: Type.Integer(),
      card_id: Type.Integer(),
      text: Type.String(),
      created_at: Timestamp,
      settled_at: nullable(Timestamp),
    }),
  ),
  review_settings: nullable(
    Type.Object({
      new_per_day: Type.Integer(),
      desired_retention: Type.Number(),
      maximum_interval: Type.Integer(),
    }),
  ),
  results: Type.Array(
    Type.Object({
      deck_slug: Type.String(),
      quiz_type: Type.String(),
      score_percent: Type.Integer(),
      total_questions: Type.Integer(),
      correct_answers: Type.Integer(),
      created_at: Timestamp,
    }),
  ),
})

export const AuditQuery = Type.Object({
  limit: Type.Optional(
    Type.String({ pattern: '^(1000|[1-9][0-9]{0,2})$', description: '1 to 1,000; default 100.', examples: ['20'] }),
  ),
})

export const AuditList = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Timestamp,
      actor_id: nullable(Type.Integer()),
      actor: Type.String({ description: 'The name at that time.' }),
      via: Type.String({ description: '`session`, `token` or `cli`.' }),
      address: nullable(Type.String()),
      action: Type.String(),
      target_id: nullable(Type.Integer()),
      target: nullable(Type.String()),
      details: Type.Unknown(),
    }),
  ),
})
