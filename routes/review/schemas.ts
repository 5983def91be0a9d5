import { Type } from '@sinclair/typebox'
import { CARD_STATES } from '../../db/queries/review/cards.js'
import { type CardState, RATINGS, type Rating } from '../../src/domain/review/review.js'
import { nullable, optional, Timestamp } from '../../src/http/schemas.js'

const Day = Type.String({ description: 'A calendar day, `YYYY-MM-DD`.', examples: ['2026-11-28'] })
/** What is relative to today is relative to this one, not to the caller's. */
const Today = Type.Unsafe<string>({ ...Day, description: 'The calendar day of the service.' })
const RatingName = Type.Unsafe<Rating>({ type: 'string', enum: RATINGS, examples: ['medium'] })
const RatingOrNull = Type.Unsafe<Rating | null>({
  type: ['string', 'null'],
  enum: [...RATINGS, null],
  examples: ['medium'],
})

const Counts = Type.Object({
  due: Type.Integer({ description: 'Cards due today or earlier, without suspended ones.', examples: [12] }),
  new: Type.Integer({ description: 'Unseen cards that today may still bring.' }),
})

/** The rest of a `CardState` stays inside. */
const ProgressOrNull = Type.Unsafe<CardState | null>({
  type: ['object', 'null'],
  properties: {
    last_rating: RatingOrNull,
    next_review: nullable(Day),
    stability: nullable(
      Type.Number({ description: 'Days until the chance of recall falls to 90 %; null before the first review here.' }),
    ),
    difficulty: nullable(Type.Number({ description: '1 (easy) to 10.' })),
    last_review: nullable(Day),
    reps: Type.Integer(),
    lapses: Type.Integer(),
  },
})

const Deck = optional('A deck slug; absent or empty means all decks.', 'git')
const limit = (text: string) => Type.Optional(Type.String({ description: text, examples: ['20'] }))

const CARD = {
  card_id: Type.Integer(),
  question: Type.String(),
  answer: Type.String(),
  level: Type.String(),
  deck: Type.Object({ slug: Type.String(), name: Type.String() }),
  progress: ProgressOrNull,
}

const NextReview = Type.Object(
  { again: Day, hard: Day, medium: Day, easy: Day },
  { description: 'Where each rating would lead to if it were given now.' },
)

export const QueueQuery = Type.Object({
  deck: Deck,
  limit: limit('Cards at most: 1 to 300, 20 when absent; numbers beyond are cut.'),
  new: limit('New cards at most; never more than what is left of the daily number.'),
})

export const Queue = Type.Object({
  cards: Type.Array(
    Type.Object({
      ...CARD,
      next_review: NextReview,
    }),
  ),
  counts: Counts,
  today: Today,
})

export const ReviewBody = Type.Object({
  card_id: Type.Integer({ examples: [17] }),
  rating: RatingName,
  client_id: Type.Optional(
    nullable(
      Type.String({ minLength: 1, maxLength: 200, description: 'Chosen by the client; applied once for each user.' }),
    ),
  ),
  duration_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 86_400_000 }))),
  reviewed_at: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description:
          'When it was given, if that was before now; later than now is now, older than 14 days is 14 days ago.',
        examples: ['2026-11-20T08:00:00.000Z'],
      }),
    ),
  ),
})

export const ReviewAnswer = Type.Object({
  review_id: Type.Integer(),
  card_id: Type.Integer(),
  progress: ProgressOrNull,
  counts: Counts,
  applied: Type.Boolean({
    description: 'False when the card was reviewed or reset after `reviewed_at`: then `progress` stays as it is.',
  }),
})

const ANYTHING = { description: 'Is refused in its place.' }

/** Each review is checked by itself, so that one that breaks the rules does not keep the others. */
export const BatchBody = Type.Object({
  reviews: Type.Array(Type.Unsafe<unknown>({ anyOf: [ReviewBody, ANYTHING] }), { minItems: 1, maxItems: 100 }),
})

export const BatchAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      status: Type.Integer({ description: '200, 400, 404 or 409, as if the review had been sent alone.' }),
      review: Type.Optional(ReviewAnswer),
      error: Type.Optional(Type.String({ description: 'German, for people; instead of `review`.' })),
    }),
    { description: 'In the order of the reviews.' },
  ),
})

export const ReviewParams = Type.Object({ id: Type.String({ description: 'The `review_id`.', examples: ['42'] }) })

export const UndoAnswer = Type.Object({
  card_id: Type.Integer(),
  progress: ProgressOrNull,
  counts: Counts,
  next_undo: nullable(Type.Integer({ description: 'The review that could be taken back next.' })),
})

export const CardParams = Type.Object({ id: Type.String({ examples: ['17'] }) })

export const ReportBody = Type.Object({
  text: Type.String({
    description: '1 to 1,000 characters after trimming, without control characters.',
    examples: ['Die Antwort gilt seit Git 2.23 nicht mehr.'],
  }),
})

export const CardReported = Type.Object({ id: Type.Integer({ description: 'Of the report.' }) })

export const StudiedDeck = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    active: Type.Boolean({ description: 'Whether the queue without `deck=` shows its cards.' }),
    due: Type.Integer({ description: 'As the queue of this deck counts them, like `new`.' }),
    new: Type.Integer({ description: 'Unseen cards that today may still bring.' }),
    cards: Type.Integer({ description: '`young`, `mature`, `suspended` and `unseen` together.' }),
    young: Type.Integer({ description: 'Put off for less than 21 days.' }),
    mature: Type.Integer(),
    suspended: Type.Integer(),
    unseen: Type.Integer(),
  },
  { title: 'StudiedDeck' },
)

export const StudiedDecks = Type.Object({ decks: Type.Array(StudiedDeck), today: Today })

export const DeckParams = Type.Object({ slug: Type.String({ examples: ['git'] }) })

export const DeckBody = Type.Object({ active: Type.Boolean({ examples: [false] }) })

export const CardsQuery = Type.Object({
  deck: Deck,
  state: optional(`One of ${CARD_STATES.join(', ')}; absent or empty means all.`, 'due'),
  q: optional('A part of question or answer, in any case; at most 200 characters; absent or empty means all.', 'stash'),
  after: optional('The `next_after` of the page before.', '17'),
  limit: limit('1 to 200, 50 when absent; numbers beyond are cut.'),
})

export const CardPage = Type.Object({
  cards: Type.Array(Type.Object({ ...CARD, state: Type.String({ enum: CARD_STATES }) })),
  next_after: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

export const CardAnswer = Type.Object({
  card: Type.Object({
    ...CARD,
    state: Type.String({ enum: CARD_STATES }),
    archived: Type.Boolean({ description: 'Whether it or its deck has left the content.' }),
  }),
  next_review: NextReview,
  today: Day,
})

export const HistoryQuery = Type.Object({
  deck: Deck,
  card: optional('A card; absent or empty means all.', '17'),
  before: optional('The `next_before` of the page before.', '42'),
  limit: limit('1 to 200, 50 when absent; numbers beyond are cut.'),
})

export const HistoryPage = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: Type.String({ enum: ['review', 'undo', 'reset'] }),
      card_id: Type.Integer(),
      question: nullable(Type.String()),
      deck_slug: nullable(Type.String({ description: 'The deck of the card at that time.' })),
      rating: RatingOrNull,
      studied_on: Day,
      created_at: Type.Unsafe<Date>({
        ...Timestamp,
        description: 'Of a review: when it was given, not when it arrived.',
      }),
      duration_ms: nullable(Type.Integer()),
      before: ProgressOrNull,
      after: ProgressOrNull,
      is_undone: Type.Boolean(),
      applied: Type.Boolean({ description: 'False for a review that came too late to change the state.' }),
      undoes: nullable(Type.Integer({ description: 'Of an undo: the review that it took back.' })),
    }),
  ),
  next_before: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

export const StatsQuery = Type.Object({ days: limit('1 to 365, 30 when absent; numbers beyond are cut.') })

const Retention = Type.Object({
  reviews: Type.Integer(),
  remembered: Type.Integer({ description: 'Those not rated `again`.' }),
  rate: nullable(Type.Number()),
})

export const Stats = Type.Object({
  days: Type.Array(
    Type.Object({
      day: Day,
      reviews: Type.Integer(),
      correct: Type.Integer({ description: 'Rated easy or medium.' }),
      introduced: Type.Integer({ description: 'First reviews of a card.' }),
      duration_ms: Type.Integer(),
    }),
  ),
  streak: Type.Object({ current: Type.Integer(), longest: Type.Integer() }),
  retention: Type.Object({
    total: Retention,
    by_previous_rating: Type.Object({ again: Retention, hard: Retention, medium: Retention, easy: Retention }),
    by_maturity: Type.Object({ young: Retention, mature: Retention }),
  }),
  forecast: Type.Array(Type.Object({ day: Day, due: Type.Integer() })),
  decks: Type.Array(
    Type.Object({
      slug: Type.String(),
      name: Type.String(),
      new: Type.Integer(),
      young: Type.Integer({ description: 'Put off for less than 21 days.' }),
      mature: Type.Integer(),
      suspended: Type.Integer(),
    }),
  ),
  today: Today,
})

export const Settings = Type.Object({
  new_per_day: Type.Integer({ minimum: 0, maximum: 9_999, examples: [20] }),
  desired_retention: Type.Number({ minimum: 0.8, maximum: 0.97, examples: [0.9] }),
  maximum_interval: Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days.' }),
})

/** What is absent stays as it is. */
export const SettingsBody = Type.Partial(Settings)
