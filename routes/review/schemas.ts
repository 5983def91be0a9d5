import { Type } from '@sinclair/typebox'
import { CARD_STATES } from '../../db/queries/review/cards.js'
import { eachText } from '../../src/domain/content/card-texts.js'
import type { Details } from '../../src/domain/refusal.js'
import type { FittedParameters } from '../../src/domain/review/parameters.js'
import {
  type CardState,
  HIGHEST_RETENTION,
  LOWEST_RETENTION,
  RATINGS,
  type Rating,
} from '../../src/domain/review/review.js'
import { choice, clamped, id, NEXT_OF_NEWEST_FIRST, newestFirst, page } from '../../src/http/query.js'
import { DETAILS, LEARNER_GROUP, nullable, optional, Timestamp } from '../../src/http/schemas.js'

export type PublicFit = Omit<FittedParameters, 'model'> & { is_good: boolean }

const Day = Type.String({ description: 'A calendar day, `YYYY-MM-DD`.', examples: ['2026-11-28'] })
/** Current calendar day in the time zone of the service; clients compare the dates of the response with it. */
const Today = Type.Unsafe<string>({ ...Day, description: 'The calendar day of the service.' })
const RatingName = Type.Unsafe<Rating>({ type: 'string', enum: RATINGS, examples: ['medium'] })
const RatingOrNull = Type.Unsafe<Rating | null>({
  type: ['string', 'null'],
  enum: [...RATINGS, null],
  examples: ['medium'],
})

const Counts = Type.Object({
  due: Type.Integer({ description: 'Cards due today or earlier, without suspended ones.', examples: [12] }),
  new: Type.Integer({ description: 'Unseen cards that may still be introduced today.' }),
})

/** Public fields of `CardState`; the schema omits the other fields from responses. */
const ProgressOrNull = Type.Unsafe<CardState | null>({
  type: ['object', 'null'],
  properties: {
    last_rating: RatingOrNull,
    next_review: nullable(Day),
    stability: nullable(
      Type.Number({ description: 'Days until the probability of recall falls to 90 %; null before the first review.' }),
    ),
    difficulty: nullable(Type.Number({ description: '1 (easy) to 10.' })),
    last_review: nullable(Day),
    reps: Type.Integer(),
    lapses: Type.Integer(),
  },
})

const Deck = optional('A deck slug; absent or empty means all decks.', 'git')
/** Maximum number of cards in a response: enough for a learner to study for a day without network */
const MAX_CARDS = 300

const CARD = {
  card_id: Type.Integer(),
  ...eachText(() => Type.String()),
  deck: Type.Object({
    slug: Type.String(),
    name: Type.String(),
    lang: Type.String({ description: 'Language of the texts (BCP 47).', examples: ['de'] }),
  }),
  progress: ProgressOrNull,
  note: nullable(Type.String({ description: "The caller's private note, Markdown." })),
}

const NextReview = Type.Object(
  { again: Day, hard: Day, medium: Day, easy: Day },
  { description: 'Next review date for each rating, if given now.' },
)

export const QueueQuery = Type.Object({
  deck: Deck,
  limit: clamped({ minimum: 1, maximum: MAX_CARDS, fallback: 20 }, 'Maximum number of cards. '),
  new: clamped(
    { minimum: 0, maximum: MAX_CARDS, fallback: MAX_CARDS },
    'Maximum number of new cards; never more than the rest of the daily number. ',
  ),
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
  type_answers: Type.Boolean({ description: 'Whether the caller types answers before they are shown.' }),
})

export const ReviewBody = Type.Object({
  card_id: Type.Integer({ examples: [17] }),
  rating: RatingName,
  client_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Chosen by the client; a review with the same id is applied once per user.',
      }),
    ),
  ),
  duration_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 86_400_000 }))),
  reviewed_at: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: `Time of a rating that the client has queued. A time in the future is treated as now, one more than
14 days ago as 14 days ago.`,
        examples: ['2026-11-20T08:00:00.000Z'],
      }),
    ),
  ),
})

export const ReviewResponse = Type.Object({
  review_id: Type.Integer(),
  card_id: Type.Integer(),
  progress: ProgressOrNull,
  counts: Counts,
  applied: Type.Boolean({
    description: 'False if the card was reviewed or reset after `reviewed_at`: `progress` is then unchanged.',
  }),
})

const ANYTHING = { description: 'An invalid review; its entry in `results` contains the error.' }

/** Reviews in one request; validated one by one, so that one invalid review does not reject the others. */
export const BatchBody = Type.Object({
  reviews: Type.Array(Type.Unsafe<unknown>({ anyOf: [ReviewBody, ANYTHING] }), { minItems: 1, maxItems: 100 }),
})

export const BatchResponse = Type.Object({
  results: Type.Array(
    Type.Object({
      status: Type.Integer({ description: '200, 400, 404 or 409, as if the review had been sent alone.' }),
      review: Type.Optional(ReviewResponse),
      code: Type.Optional(
        Type.String({
          description: 'Code as in `X-Error-Code`; present instead of `review`.',
          examples: ['card_not_found'],
        }),
      ),
      error: Type.Optional(Type.String({ description: 'German message for users; present instead of `review`.' })),
      field: Type.Optional(
        nullable(Type.String({ description: 'As in `X-Error-Field`; present with `error`.', examples: ['card_id'] })),
      ),
      details: Type.Optional(
        Type.Unsafe<Details | null>({
          ...DETAILS,
          type: ['object', 'null'],
          description: 'As in `X-Error-Details`; present with `error`.',
        }),
      ),
    }),
    { description: 'In the order of the reviews.' },
  ),
})

export const ReviewParams = Type.Object({ id: Type.String({ description: 'The `review_id`.', examples: ['42'] }) })

export const UndoResponse = Type.Object({
  card_id: Type.Integer(),
  progress: ProgressOrNull,
  counts: Counts,
  next_undo: nullable(Type.Integer({ description: 'The review that can be undone next.' })),
})

export const CardParams = Type.Object({ id: Type.String({ examples: ['17'] }) })

const SuggestedText = Type.Object({
  question: Type.String({ description: 'Markdown, at most 65,536 characters.', examples: ['Was macht `git switch`?'] }),
  answer: Type.String({ description: 'Markdown, at most 65,536 characters.', examples: ['Es wechselt den Branch.'] }),
})

export const ReportBody = Type.Object({
  text: Type.Optional(
    Type.String({
      description: '1 to 1,000 characters after trimming, without control characters; may be absent with a suggestion.',
      examples: ['Die Antwort gilt seit Git 2.23 nicht mehr.'],
    }),
  ),
  suggestion: Type.Optional(nullable(SuggestedText)),
})

export const OwnReportsQuery = Type.Object({
  ...newestFirst({ maximum: 200, fallback: 50, cursor: 'int64' }),
})

export const OwnReports = Type.Object({
  reports: Type.Array(
    Type.Object({
      id: Type.Integer(),
      card_id: Type.Integer(),
      card: Type.Unsafe<{ question: string; deck: { slug: string; name: string } } | null>({
        type: ['object', 'null'],
        properties: {
          question: Type.String(),
          deck: Type.Object({ slug: Type.String(), name: Type.String() }),
        },
        required: ['question', 'deck'],
        description: 'Null if the card has become a draft.',
      }),
      text: Type.String({ description: 'May be empty with a suggestion.' }),
      suggestion: nullable(SuggestedText),
      created_at: Timestamp,
      settled_at: nullable(Timestamp),
      outcome: Type.Unsafe<'accepted' | 'declined' | null>({
        type: ['string', 'null'],
        enum: ['accepted', 'declined', null],
        description: 'Null while the report is open, and if it was settled without a decision.',
      }),
      message: nullable(Type.String({ description: 'Message of the editor.' })),
    }),
    { description: 'Newest first.' },
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const CardReported = Type.Object({ id: Type.Integer({ description: 'Id of the report.' }) })

export const NoteBody = Type.Object({
  text: Type.String({
    description: 'Markdown, at most 2,000 characters; empty after trimming deletes the note.',
    examples: ['Eselsbrücke: *stash* wie Vorrat'],
  }),
})

export const NoteResponse = Type.Object({ note: nullable(Type.String()) })

export const TomorrowBody = Type.Object({
  client_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Chosen by the client, as for a review; applied once per user.',
      }),
    ),
  ),
  put_off_at: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: 'Time of a queued request, limited like `reviewed_at`. If that day is over, nothing changes.',
        examples: ['2026-11-20T08:00:00.000Z'],
      }),
    ),
  ),
})

const RETENTION = { minimum: LOWEST_RETENTION, maximum: HIGHEST_RETENTION, examples: [0.9] }

export const StudiedDeck = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    ...LEARNER_GROUP,
    active: Type.Boolean({
      description: `Whether the deck is active: the queue without \`deck=\` includes its cards. Of a group, only the
preferred variant is active, and activation applies to the whole group.`,
    }),
    due: Type.Integer({ description: 'Cards due today or earlier in the queue of this deck.' }),
    new: Type.Integer({ description: 'Unseen cards that may still be introduced today.' }),
    cards: Type.Integer({ description: 'Sum of `young`, `mature`, `suspended` and `unseen`.' }),
    young: Type.Integer({ description: 'Interval below 21 days.' }),
    mature: Type.Integer(),
    suspended: Type.Integer(),
    unseen: Type.Integer(),
    desired_retention: nullable(
      Type.Number({ ...RETENTION, description: "The caller's choice; null for the default of the deck." }),
    ),
    default_retention: nullable(
      Type.Number({ ...RETENTION, description: "The author's default; null for the caller's general setting." }),
    ),
  },
  { title: 'StudiedDeck' },
)

export const StudiedDecks = Type.Object({ decks: Type.Array(StudiedDeck), today: Today })

export const StudiedDeckParams = Type.Object({ slug: Type.String({ examples: ['git'] }) })

/** Change of a deck's settings; the handler refuses a body without any of the fields. */
export const DeckBody = Type.Object({
  active: Type.Optional(Type.Boolean({ examples: [false] })),
  desired_retention: Type.Optional(
    nullable(Type.Number({ ...RETENTION, description: 'Null for the default of the deck.' })),
  ),
})

export const CardsQuery = Type.Object({
  deck: Deck,
  state: choice(CARD_STATES, 'Absent or empty means all.'),
  q: optional(
    'Part of question or answer, case-insensitive; at most 200 characters; absent or empty means all.',
    'stash',
  ),
  ...page({ maximum: 200, fallback: 50, cursor: 'int64' }),
})

export const CardPage = Type.Object({
  cards: Type.Array(Type.Object({ ...CARD, state: Type.String({ enum: CARD_STATES }) })),
  next_after: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

export const CardResponse = Type.Object({
  card: Type.Object({
    ...CARD,
    state: Type.String({ enum: CARD_STATES }),
    archived: Type.Boolean({ description: 'Whether the card or its deck is archived.' }),
  }),
  next_review: NextReview,
  today: Day,
})

export const HistoryQuery = Type.Object({
  deck: Deck,
  card: id('int64', 'Id of a card; absent or empty means all.'),
  ...newestFirst({ maximum: 200, fallback: 50, cursor: 'int64' }),
})

export const HistoryPage = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: Type.String({ enum: ['review', 'undo', 'reset', 'tomorrow'] }),
      card_id: Type.Integer(),
      question: nullable(Type.String()),
      deck_slug: nullable(Type.String({ description: 'The deck of the card at that time.' })),
      rating: RatingOrNull,
      studied_on: Day,
      created_at: Type.Unsafe<Date>({
        ...Timestamp,
        description: 'Time of the rating, not of its arrival.',
      }),
      duration_ms: nullable(Type.Integer()),
      before: ProgressOrNull,
      after: ProgressOrNull,
      is_undone: Type.Boolean(),
      applied: Type.Boolean({ description: 'False for a review that arrived too late to change the state.' }),
      undoes: nullable(Type.Integer({ description: 'For an undo: id of the undone review.' })),
    }),
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const StatsQuery = Type.Object({ days: clamped({ minimum: 1, maximum: 365, fallback: 30 }) })

const Retention = Type.Object({
  reviews: Type.Integer(),
  remembered: Type.Integer({ description: 'Reviews not rated `again`.' }),
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
      young: Type.Integer({ description: 'Interval below 21 days.' }),
      mature: Type.Integer(),
      suspended: Type.Integer(),
    }),
  ),
  today: Today,
})

export const Settings = Type.Object({
  new_per_day: Type.Integer({ minimum: 0, maximum: 9_999, examples: [20] }),
  desired_retention: Type.Number(RETENTION),
  maximum_interval: Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days.' }),
  adapt_intervals: Type.Boolean({ description: "Whether the intervals are fitted to the caller's reviews." }),
  type_answers: Type.Boolean({ description: 'Whether the caller types answers before they are shown.' }),
  free_weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    maxItems: 6,
    uniqueItems: true,
    description: 'Weekdays on which no card becomes due, if its interval can vary to another day; 1 is Monday.',
    examples: [[6, 7]],
  }),
})

const FittedSet = Type.Unsafe<PublicFit | null>({
  type: ['object', 'null'],
  required: ['items', 'fitted_at', 'log_loss_before', 'log_loss_after', 'is_good', 'w'],
  properties: {
    items: Type.Integer({ description: 'Number of recalls from which the parameters were fitted.' }),
    fitted_at: Timestamp,
    log_loss_before: Type.Number({
      description: 'Log loss of the former parameters on the last quarter of the recalls.',
    }),
    log_loss_after: Type.Number({ description: 'Log loss on that quarter of a fit to the other recalls.' }),
    is_good: Type.Boolean({ description: 'Whether the predictions are good; otherwise they are moderate.' }),
    w: Type.Array(Type.Number(), { description: 'Weights of FSRS-6.' }),
  },
})

export const FitResponse = Type.Object({
  available: Type.Boolean({ description: 'Whether this service can fit parameters.' }),
  in_use: Type.Boolean({ description: 'Whether fitted parameters schedule the reviews.' }),
  fitted: FittedSet,
  previous: FittedSet,
  items: Type.Integer({ description: 'Number of recalls so far, at most `items_needed`.' }),
  items_needed: Type.Integer({ description: 'Number of recalls that the next fit requires.' }),
  median_ms: nullable(Type.Integer({ description: 'Median time of a review; null without any.' })),
  costs: Type.Array(
    Type.Object({
      desired_retention: Type.Number(),
      reviews_per_card: Type.Number({ description: 'Expected reviews of a card in its first year.' }),
    }),
    { description: "Expected workload for each desired retention with the caller's parameters." },
  ),
})

export const SettingsBody = Type.Partial(Settings)

export const ExtraBody = Type.Object({ cards: Type.Integer({ minimum: 1, maximum: 300, examples: [10] }) })

export const ExtraResponse = Type.Object({ counts: Counts, today: Today })
