import { type TSchema, Type } from '@sinclair/typebox'
import { clamped, NEXT_OF_NEWEST_FIRST, newestFirst } from '../../src/http/query.js'
import { GROUP, LEARNER_GROUP, nullable, optional, Timestamp } from '../../src/http/schemas.js'
import { QUIZ_QUESTION, Quiz } from '../quiz/schemas.js'

const oneOf = <T extends string>(...values: T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: values, examples: [values[0]] })

const NullableTimestamp = Type.Unsafe<Date | null>({
  type: ['string', 'null'],
  format: 'date-time',
  examples: ['2026-11-21T08:00:00.000Z'],
})

const Day = (description: string) => nullable(Type.String({ format: 'date', description, examples: ['2026-12-31'] }))

const Passed = nullable(Type.Boolean({ description: 'Null while unknown, or where the review preset hides it.' }))
const Score = nullable(Type.Integer({ description: 'Per cent, rounded down; null as `passed`.', examples: [85] }))
const State = oneOf('open', 'submitted')

export const TestParams = Type.Object({ slug: Type.String({ examples: ['datenschutz-grundlagen'] }) })

export const PracticeQuery = Type.Object({
  deck: optional('A deck slug; absent or empty means all decks.', 'git-grundlagen'),
  count: clamped({ minimum: 1, maximum: 50, fallback: 10 }, 'Number of questions. '),
})

export const Practice = Type.Object({
  questions: Type.Array(Type.Object({ ...QUIZ_QUESTION, lang: GROUP.lang }, { title: 'PracticeQuestion' })),
  deck: Quiz.properties.deck,
})

export const AttemptsQuery = Type.Object({
  ...newestFirst({ maximum: 100, fallback: 50, cursor: 'int32' }),
})

export const AttemptParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['17'] }) })

export const AnswerParams = Type.Object({
  id: Type.String({ description: 'Decimal digits.', examples: ['17'] }),
  slot: Type.String({ description: 'Number of the question in the attempt, from 0.', examples: ['0'] }),
})

const testFields = {
  slug: Type.String({ examples: ['datenschutz-grundlagen'] }),
  name: Type.String({ examples: ['Datenschutz, Grundlagen'] }),
  description: Type.String({ examples: ['Für alle mit Zugang zu personenbezogenen Daten'] }),
  question_count: Type.Integer({ description: 'Questions per attempt.', examples: [10] }),
  pass_percent: Type.Integer({ examples: [80] }),
  time_limit_minutes: nullable(Type.Integer({ examples: [20] })),
  attempts: nullable(Type.Integer({ description: 'Attempts per person; null: unlimited.', examples: [3] })),
  attempts_left: nullable(Type.Integer({ description: 'Null: unlimited.', examples: [2] })),
  open_attempt_id: nullable(Type.Integer({ examples: [17] })),
  passed: nullable(
    Type.Boolean({ description: 'Whether the caller passed any attempt; null without a result that may be shown.' }),
  ),
  access: oneOf('open', 'assigned'),
  assigned: Type.Boolean({ description: 'Whether an open assignment of the caller includes the test.' }),
  opens: Day('First day in the time zone of the service; null without a limit.'),
  closes: Day('Last day in the time zone of the service; null without a limit.'),
  open_questions: Type.Boolean({ description: 'Whether learners can look up at least one of the questions.' }),
  multiple: oneOf('partial', 'all'),
  review: oneOf('none', 'result', 'explanations'),
  review_when: oneOf('now', 'passed_or_last', 'closed'),
  wait_minutes: Type.Integer({ description: 'Minimum pause between two attempts.', examples: [0] }),
  next_attempt_at: NullableTimestamp,
  pages: oneOf('one', 'all'),
}

export const TestList = Type.Object({
  tests: Type.Array(Type.Object({ ...testFields, ...LEARNER_GROUP }, { title: 'ListedTest' })),
})

export const TestResponse = Type.Object({
  test: Type.Object(
    {
      ...testFields,
      ...GROUP,
      group: Type.Array(Type.Object({ slug: Type.String(), lang: Type.String() }, { title: 'TestInLanguage' }), {
        description: 'All variants of the test and the test itself, by language; empty without variants.',
      }),
      introduction: Type.String({ description: 'Markdown.', examples: ['Nimm dir **20 Minuten** Zeit.'] }),
      extra_time_percent: Type.Integer({ description: "The caller's extra time.", examples: [0] }),
      my_attempts: Type.Array(
        Type.Object(
          {
            id: Type.Integer({ examples: [17] }),
            slug: Type.String({
              description: 'Slug of the variant that was taken.',
              examples: ['datenschutz-grundlagen'],
            }),
            lang: GROUP.lang,
            number: Type.Integer({ examples: [1] }),
            version: Type.Integer({ examples: [1] }),
            started_at: Timestamp,
            ended_at: NullableTimestamp,
            state: State,
            passed: Passed,
            score_percent: Score,
            review_available: Type.Boolean(),
          },
          { title: 'OwnAttempt' },
        ),
        { description: "A page of the caller's attempts in all languages of the test, newest first." },
      ),
    },
    { title: 'Test' },
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const StartBody = Type.Object({
  client_id: Type.String({
    minLength: 8,
    maxLength: 64,
    description: 'Chosen by the client; a repeated request returns the same attempt, even after its end.',
    examples: ['5f0e9a550a3c2f7f3f1c9a4e6f0b4f0e'],
  }),
})

const Ids = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1_000, examples: [['k3Jd_9aQ']] })

const Text = Type.String({ description: 'For the forms `text` and `number`, as typed.', examples: ['72 Stunden'] })
const Gaps = Type.Record(Type.String(), Type.String(), {
  description: 'Text by id of the gap.',
  examples: [{ k3Jd_9aQ: '72' }],
})

export const AnswerBody = Type.Object({
  seq: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Higher with each answer to the same question.',
    examples: [1],
  }),
  answer: Type.Object(
    {
      option_ids: Type.Optional(Ids),
      text: Type.Optional(Text),
      item_ids: Type.Optional(Ids),
      gaps: Type.Optional(Gaps),
    },
    {
      description: 'Exactly one key, by the form of the question.',
      examples: [{ option_ids: ['k3Jd_9aQ'] }],
    },
  ),
})

const StoredAnswer = Type.Union([
  Type.Object({ option_ids: Ids }, { title: 'ChosenOptions' }),
  Type.Object({ text: Text }, { title: 'TypedText' }),
  Type.Object({ item_ids: Ids }, { title: 'OrderedItems' }),
  Type.Object({ gaps: Gaps }, { title: 'FilledGaps' }),
  Type.Null(),
])

const Form = oneOf('single', 'multiple', 'text', 'number', 'order', 'gaps')
const Part = (title: string) =>
  Type.Object(
    { id: Type.String({ examples: ['k3Jd_9aQ'] }), text: Type.String({ description: 'Markdown.' }) },
    { title },
  )
const Slot = Type.Integer({ description: 'Number of the question in the attempt, from 0.', examples: [0] })
const Question = Type.String({ description: 'Markdown.', examples: ['Wann muss eine Datenpanne gemeldet werden?'] })
const TextWithGaps = Type.Optional(
  Type.String({ description: 'Markdown in which `{{id}}` stands for a gap.', examples: ['Nach {{k3Jd_9aQ}} Stunden'] }),
)
const Unit = Type.Optional(nullable(Type.String({ description: 'Unit of a number.', examples: ['MB'] })))

/** A question without its correct answers */
export const shownQuestion = {
  slot: Slot,
  form: Form,
  question: Question,
  options: Type.Optional(Type.Array(Part('ShownOption'))),
  items: Type.Optional(Type.Array(Part('ShownItem'))),
  gaps: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: Type.String({ examples: ['k3Jd_9aQ'] }),
          choices: Type.Optional(
            Type.Array(Type.String(), { description: 'Absent if the gap is typed.', examples: [['24', '48', '72']] }),
          ),
        },
        { title: 'ShownGap' },
      ),
    ),
  ),
  text: TextWithGaps,
  unit: Unit,
  points: Type.Number({ examples: [1] }),
}

export const AttemptResponse = Type.Object({
  attempt: Type.Object(
    {
      id: Type.Integer({ examples: [17] }),
      slug: Type.String({ examples: ['datenschutz-grundlagen'] }),
      lang: GROUP.lang,
      version: Type.Integer({ examples: [1] }),
      number: Type.Integer({ examples: [1] }),
      name: Type.String({ examples: ['Datenschutz, Grundlagen'] }),
      pages: oneOf('one', 'all'),
      state: State,
      started_at: Timestamp,
      deadline: NullableTimestamp,
      seconds_left: nullable(Type.Integer({ description: 'Null without a deadline.', examples: [1_180] })),
      questions: Type.Array(
        Type.Object(
          {
            ...shownQuestion,
            seq: Type.Integer({ description: '`seq` of the stored answer; 0 if there is none.', examples: [0] }),
            answer: StoredAnswer,
          },
          { title: 'AttemptQuestion' },
        ),
      ),
    },
    { title: 'Attempt' },
  ),
})

export const SavedAnswerResponse = Type.Object({
  slot: Slot,
  seq: Type.Integer({ examples: [1] }),
  saved_at: Timestamp,
  seconds_left: nullable(Type.Integer({ examples: [1_160] })),
})

export const SubmitResponse = Type.Object({
  attempt: Type.Object({
    id: Type.Integer({ examples: [17] }),
    state: State,
    passed: Passed,
    score_percent: Score,
  }),
})

const optionalList = <T extends TSchema>(schema: T) => Type.Optional(Type.Array(schema))

export const AttemptReviewResponse = Type.Object({
  review: Type.Object(
    {
      id: Type.Integer({ examples: [17] }),
      slug: Type.String({ examples: ['datenschutz-grundlagen'] }),
      lang: GROUP.lang,
      version: Type.Integer({ examples: [1] }),
      number: Type.Integer({ examples: [1] }),
      name: Type.String({ examples: ['Datenschutz, Grundlagen'] }),
      started_at: Timestamp,
      ended_at: NullableTimestamp,
      ended_by: Type.Unsafe<'person' | 'time' | null>({ type: ['string', 'null'], enum: ['person', 'time', null] }),
      passed: Passed,
      score_percent: Score,
      pass_percent: Type.Integer({ examples: [80] }),
      answers_deleted: Type.Boolean({ description: 'Whether the answers were deleted after their retention period.' }),
      questions: Type.Unsafe<ReviewedQuestion[] | null>({
        ...Type.Array(
          Type.Object(
            {
              slot: Slot,
              form: Form,
              question: Question,
              options: optionalList(
                Type.Object(
                  {
                    id: Type.String(),
                    text: Type.String({ description: 'Markdown.' }),
                    correct: Type.Boolean(),
                    chosen: Type.Boolean(),
                    feedback: nullable(Type.String({ description: 'Markdown.' })),
                  },
                  { title: 'ReviewedOption' },
                ),
              ),
              items: optionalList(Part('ReviewedItem')),
              gaps: optionalList(Type.Object({ id: Type.String(), accepted: Type.Array(Type.String()) })),
              text: TextWithGaps,
              unit: Unit,
              accepted: optionalList(Type.String()),
              tolerance: Type.Optional(Type.Number()),
              answer: StoredAnswer,
              points: nullable(Type.Number({ description: '0 to 1.', examples: [1] })),
              explanation: Type.String({ description: 'Markdown.' }),
            },
            { title: 'ReviewedQuestion' },
          ),
        ),
        type: ['array', 'null'],
        description: 'Null if the test shows only results (`review` is `result`).',
      }),
    },
    { title: 'AttemptReview' },
  ),
})

type ReviewedQuestion = Record<string, unknown>

export const QuestionReportBody = Type.Object({
  slot: Type.Integer({ minimum: 0, maximum: 100_000, description: 'Number of the question.', examples: [0] }),
  text: Type.String({ description: '1 to 1,000 characters.', examples: ['Zwei Antworten sind richtig.'] }),
})

export const QuestionReported = Type.Object({ id: Type.Integer({ examples: [3] }) })
