import { Type } from '@sinclair/typebox'
import { nullable, Timestamp, User } from '../../src/http/schemas.js'
import { address, ExternalId, ExtraTime, OwnLanguage, PersonnelNumber, Session, state } from './schemas.js'

const Fitted = nullable(
  Type.Object({
    model: Type.String(),
    w: Type.Array(Type.Number()),
    items: Type.Integer(),
    log_loss_before: Type.Number(),
    log_loss_after: Type.Number(),
    fitted_at: Timestamp,
  }),
)

export const OwnDataResponse = Type.Object({
  user: Type.Object({
    ...User.properties,
    ...state,
    ...address,
    personnel_number: PersonnelNumber,
    external_id: ExternalId,
    scim_disabled: Type.Boolean(),
    scim_former_day: nullable(Type.String({ format: 'date' })),
    scim_deleted: Type.Boolean(),
    awaits_link: Type.Boolean(),
    language: OwnLanguage,
    language_used: nullable({ ...Type.String(), description: 'Language in which the caller last used the app.' }),
    calendar_since: nullable(Timestamp),
    unconfirmed_email: nullable(Type.String()),
    due_cards_mail: Type.Boolean(),
    has_password: Type.Boolean(),
    passkey_only: Type.Boolean(),
    emergency: Type.Boolean(),
    extra_time_percent: ExtraTime,
    link_next_login: Type.Boolean(),
  }),
  sessions: Type.Array(
    Type.Object({
      ...Session,
      authenticated_at: Timestamp,
      authenticated_by: Type.String(),
      provider_session: nullable(Type.String()),
    }),
  ),
  identities: Type.Array(
    Type.Object({
      id: Type.Integer(),
      issuer: Type.String(),
      subject: Type.String(),
      created_at: Timestamp,
      last_used_at: nullable(Timestamp),
    }),
  ),
  passkeys: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      credential_id: Type.String({ description: 'Base64.' }),
      transports: Type.Array(Type.String()),
      backed_up: Type.Boolean(),
      created_at: Timestamp,
      last_used_at: nullable(Timestamp),
    }),
  ),
  tokens: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      created_at: Timestamp,
      last_used_at: nullable(Timestamp),
      expires_at: nullable(Timestamp),
      scopes: Type.Array(Type.String()),
      is_service: Type.Boolean(),
    }),
  ),
  mails: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: Type.String(),
      day: Type.String({ format: 'date' }),
      address: Type.String(),
      subject: Type.String(),
      state: Type.String(),
      sent_at: nullable(Timestamp),
      created_at: Timestamp,
    }),
  ),
  progress: Type.Array(
    Type.Object({
      card_id: Type.Integer(),
      deck_slug: nullable(Type.String({ description: 'Null if only editors see the card, like `question`.' })),
      question: nullable(Type.String()),
      last_rating: nullable(Type.String()),
      next_review: nullable(Type.String({ format: 'date' })),
      stability: nullable(Type.Number()),
      difficulty: nullable(Type.Number()),
      last_review: nullable(Type.String({ format: 'date' })),
      reps: Type.Integer(),
      lapses: Type.Integer(),
      put_off_from: nullable(Type.String({ format: 'date', description: 'Former due day of a card that is put off.' })),
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
  chosen_decks: Type.Array(Type.String(), { description: 'Offered decks that the user has activated.' }),
  chosen_languages: Type.Array(Type.Object({ kind: Type.String(), slug: Type.String(), lang: Type.String() }), {
    description: 'Language that the user has chosen for a deck, sheet or test with variants, by the original.',
  }),
  notes: Type.Array(Type.Object({ card_id: Type.Integer(), text: Type.String(), updated_at: Timestamp })),
  deck_retentions: Type.Array(Type.Object({ deck_slug: Type.String(), desired_retention: Type.Number() })),
  reports: Type.Array(
    Type.Object({
      id: Type.Integer(),
      card_id: Type.Integer(),
      text: Type.String(),
      suggested_question: nullable(Type.String()),
      suggested_answer: nullable(Type.String()),
      created_at: Timestamp,
      settled_at: nullable(Timestamp),
      outcome: nullable(Type.String()),
      outcome_message: nullable(Type.String()),
    }),
  ),
  edited_sources: Type.Array(Type.Object({ source_id: Type.Integer(), name: Type.String(), added_at: Timestamp }), {
    description: 'Sources that the user may edit as an editor.',
  }),
  teams: Type.Array(
    Type.Object({
      name: Type.String(),
      role: Type.String({ description: '`member` or `lead`.' }),
      origin: Type.String({
        description: '`hand`; `claim` if it came from the groups of a login; `scim` if it came from SCIM.',
      }),
      from_on: Type.String({ format: 'date' }),
      until_on: nullable(Type.String({ format: 'date', description: 'Null while the membership is current.' })),
    }),
    { description: 'Current and former memberships of teams.' },
  ),
  occurrences: Type.Array(
    Type.Object({
      id: Type.Integer(),
      title: Type.String(),
      period: Type.String({ format: 'date', description: 'First day of the period.' }),
      due_on: Type.String({ format: 'date' }),
      extended_until: nullable(Type.String({ format: 'date' })),
      state: Type.String(),
      reason: nullable(
        Type.String({ description: 'Reason for the exemption, recognition, extension, reopening or granted attempt.' }),
      ),
      covered_until: nullable(Type.String({ format: 'date' })),
      done_at: nullable(Timestamp),
      done_on: nullable(Type.String({ format: 'date' })),
      missed_at: nullable(Timestamp),
      reopened_at: nullable(Timestamp),
      extra_attempts: Type.Integer(),
      done_parts: Type.Array(
        Type.Object({
          part: Type.Integer(),
          lang: nullable(Type.String()),
          held_on: nullable(Type.String({ format: 'date' })),
          confirmed_by: nullable(Type.String()),
          note: nullable(Type.String()),
        }),
      ),
      reminders: Type.Array(Type.Object({ kind: Type.String(), on: Type.String({ format: 'date' }) })),
    }),
    { description: 'Occurrences of assignments for the user, with the parts that are done.' },
  ),
  proofs: Type.Array(
    Type.Object({
      code: Type.String(),
      snapshot: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'Content of the proof.',
      }),
      issued_at: Timestamp,
      valid_until: nullable(Type.String({ format: 'date' })),
      revoked_at: nullable(Timestamp),
      revocation: nullable(Type.String({ description: 'Reason of the revocation.' })),
      replaced_by: nullable(Type.String()),
      delete_after: nullable(Type.String({ format: 'date', description: 'Null until the retention period begins.' })),
    }),
    { description: 'Proofs of completed assignments.' },
  ),
  assignments: Type.Array(
    Type.Object({
      id: Type.Integer(),
      title: Type.String(),
      created: nullable(Type.Boolean()),
      responsible: nullable(Type.Boolean()),
      named: Type.Boolean(),
    }),
    { description: 'Assignments that the user has created, is responsible for, or is named in.' },
  ),
  changes: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Timestamp,
      how: Type.String(),
      source_id: nullable(Type.Integer()),
      accepted: nullable(
        Type.Boolean({ description: 'Whether the user accepted a text that another user suggested.' }),
      ),
    }),
    { description: 'Changes of content by the user.' },
  ),
  form_requests: Type.Array(
    Type.Object({
      kind: Type.String({ description: '`assignment`, `team` or `deck`.' }),
      client_id: Type.String(),
      object_id: Type.Integer(),
      created_at: Timestamp,
    }),
    { description: 'Objects that the user has created with a `client_id`.' },
  ),
  attempts: Type.Array(
    Type.Object({
      id: Type.Integer(),
      test_slug: Type.String(),
      version: Type.Integer(),
      number: Type.Integer(),
      started_at: Timestamp,
      deadline_at: nullable(Timestamp),
      ended_at: nullable(Timestamp),
      ended_by: nullable(Type.String()),
      passed: nullable(Type.Boolean()),
      score_percent: nullable(Type.Integer()),
      answers_deleted_at: nullable(Timestamp),
    }),
    { description: 'Attempts at tests; results that the test does not show to the user are null.' },
  ),
  answers: Type.Array(
    Type.Object({
      attempt_id: Type.Integer(),
      slot: Type.Integer(),
      question: Type.String(),
      parts: Type.Array(Type.Object({ id: Type.String(), text: Type.String() }), {
        description: 'Options or items as shown.',
      }),
      answer: nullable(Type.Object({}, { additionalProperties: true })),
      saved_at: nullable(Timestamp),
      spent_ms: Type.Integer(),
    }),
    { description: 'Questions of the attempts, with the answers of the user.' },
  ),
  pictures: Type.Array(
    Type.Object({
      sha: Type.String({ description: 'SHA-256 in hex, for `GET /api/content/media/{sha}`.' }),
      extension: Type.String(),
      size_bytes: Type.Integer(),
      created_at: Timestamp,
    }),
    { description: 'Pictures that the user uploaded.' },
  ),
  review_settings: nullable(
    Type.Object({
      new_per_day: Type.Integer(),
      desired_retention: Type.Number(),
      maximum_interval: Type.Integer(),
      extra_new: Type.Integer(),
      extra_new_on: nullable(Type.String({ format: 'date' })),
      adapt_intervals: Type.Boolean(),
      type_answers: Type.Boolean(),
      free_weekdays: Type.Array(Type.Integer()),
    }),
  ),
  fitted_parameters: nullable(
    Type.Object({
      current: Fitted,
      previous: Fitted,
      tried_at: Timestamp,
      tried_items: Type.Integer(),
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
