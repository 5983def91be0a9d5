import { type TSchema, Type } from '@sinclair/typebox'
import { CARD_FILTERS } from '../../db/queries/content/editing/cards.js'
import { type CardText, eachText, TEXT_RULES } from '../../src/domain/content/card-texts.js'
import { type Exercise, FORMS } from '../../src/domain/questions/exercise.js'
import { RULES } from '../../src/domain/questions/lint.js'
import { choiceOr, flag, id, NEXT_OF_NEWEST_FIRST, page } from '../../src/http/query.js'
import { FINDING_CODE, nullable, optional, Timestamp } from '../../src/http/schemas.js'
import { NullableChangeKindSchema, OwnerSource } from './sheet-schemas.js'

export const DeckName = Type.Object({ slug: Type.String({ examples: ['git'] }), name: Type.String() })

const FormName = Type.Unsafe<(typeof FORMS)[number] | null>({
  type: ['string', 'null'],
  enum: [...FORMS, null],
  description: 'Form of the question in tests; null for a plain card.',
  examples: ['choice'],
})

const EXAMPLES: Partial<Record<CardText, string>> = {
  question: 'Was macht `git stash`?',
  answer: 'Was macht `git stash`?',
  level: 'grundlagen',
}

const exampleOf = (name: CardText) => (EXAMPLES[name] === undefined ? {} : { examples: [EXAMPLES[name]] })

/** The texts of a card with the fields of its exercise */
export const TEXT_FIELDS = {
  ...eachText((name) =>
    Type.String({ ...(TEXT_RULES[name].isMarkdown && { description: 'Markdown.' }), ...exampleOf(name) }),
  ),
  answer: Type.String({ description: 'Markdown, without the options.' }),
  options: Type.Array(
    Type.Object({
      text: Type.String({ description: 'Markdown.' }),
      correct: Type.Boolean(),
      feedback: nullable(Type.String({ description: 'Markdown for learners who choose the option.' })),
    }),
    { description: 'Answers to choose from; for the forms `text` and `number`, further accepted answers.' },
  ),
  form: FormName,
  tolerance: nullable(Type.Number({ description: 'Maximum accepted deviation; only for the form `number`.' })),
  unit: nullable(Type.String({ description: 'Only for the form `number`.', examples: ['MB'] })),
} satisfies Record<CardText | keyof Exercise, TSchema>

const CARD = {
  id: Type.Integer({ examples: [17] }),
  deck: DeckName,
  ...TEXT_FIELDS,
  version: Type.Integer({ description: 'Number of the live text, from 1.' }),
  draft: Type.Boolean({ description: 'Whether only editors see the card.' }),
  archived_at: nullable(Timestamp),
  changed_here: Type.Boolean({ description: 'Whether its text was edited since the last upload of its source.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const EditedCard = Type.Object(CARD, { title: 'EditedCard' })

const Finding = Type.Object({
  rule: Type.Unsafe<(typeof RULES)[number]>({ type: 'string', enum: [...RULES] }),
  ...FINDING_CODE,
  message: Type.String({ examples: ['Die Zahlen stehen nicht der Größe nach'] }),
})

export const EditedCardResponse = Type.Object(
  {
    card: Type.Object(
      {
        ...CARD,
        source: nullable({
          ...OwnerSource,
          description: 'Null for the content folder, released content, and rows inserted by scripts.',
        }),
        file: nullable(Type.String({ description: 'Path relative to the content folder; null for a source.' })),
        line: nullable(Type.Integer({ description: 'Null for a source, or if the file lacks the card.' })),
        learners: Type.Integer({ description: 'Number of users with progress.' }),
        findings: Type.Array(Finding, {
          description: 'Probable weaknesses of the question; they do not prevent saving.',
        }),
      },
      { title: 'EditedCardWithOrigin' },
    ),
  },
  { title: 'EditedCardAnswer' },
)

export const EditedCardsQuery = Type.Object({
  deck: optional('Slug of the deck; required.', 'git'),
  state: choiceOr(CARD_FILTERS, 'live', '`live`: not archived, drafts included.'),
  level: optional('Exact level.', 'grundlagen'),
  q: optional('Part of question or answer, case-insensitive; at most 200 characters.', 'stash'),
  questions: flag('Only cards with a question for tests.'),
  ...page({ maximum: 200, fallback: 50, cursor: 'int64' }),
})

const ListedCard = Type.Object(
  {
    ...CARD,
    key: Type.String({
      description: 'Key within the deck; sections of tests list cards with it.',
      examples: ['stash'],
    }),
  },
  { title: 'ListedCard' },
)

export const EditedCardPage = Type.Object({
  cards: Type.Array(ListedCard, { description: 'In deck order.' }),
  next_after: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

export const EditedCardParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['17'] }) })

const Options = Type.Array(
  Type.Object({
    text: Type.String(),
    correct: Type.Boolean(),
    feedback: Type.Optional(nullable(Type.String())),
  }),
  {
    description:
      'Without `form`, a list sets the form `choice`. If no option is correct, all are wrong answers beside `answer`.',
    examples: [[{ text: 'Innerhalb von 24 Stunden', correct: false }]],
  },
)

/** A text of a card in a request */
function textInput(name: CardText) {
  const { isMarkdown, maxLength } = TEXT_RULES[name]
  const description = `${isMarkdown ? 'Markdown, at' : 'At'} most ${maxLength.toLocaleString('en')} characters.`
  return Type.String({ description, ...exampleOf(name) })
}

const OPTIONAL_FIELDS = {
  ...eachText((name) => Type.Optional(textInput(name))),
  options: Type.Optional(nullable(Options)),
  form: Type.Optional(FormName),
  tolerance: Type.Optional(nullable(Type.Number())),
  unit: Type.Optional(nullable(Type.String())),
  draft: Type.Optional(Type.Boolean({ description: 'Hides the card from learners.' })),
}

export const CardCreation = Type.Object({
  deck: Type.String({ description: 'Slug of the deck.', examples: ['git'] }),
  ...OPTIONAL_FIELDS,
  question: textInput('question'),
  answer: textInput('answer'),
  client_id: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Chosen by the client; a repeated request returns the same card.',
    examples: ['5f0e9a550a3c2f7f3f1c9a4e6f0b4f0e'],
  }),
})

export const CardEdit = Type.Object({
  version: Type.Optional(
    Type.Integer({ description: 'Version that the texts are based on; required with texts.', examples: [3] }),
  ),
  ...OPTIONAL_FIELDS,
  deck: Type.Optional(Type.String({ description: 'Slug of another deck.', examples: ['linux'] })),
  archived: Type.Optional(Type.Boolean()),
})

export const CardMove = Type.Object({
  before: nullable(
    Type.Integer({
      minimum: -(2 ** 31),
      maximum: 2 ** 31 - 1,
      description: 'Id of a card of the same deck; null means the end.',
      examples: [18],
    }),
  ),
})

export const SimilarQuery = Type.Object({
  question: optional('Markdown; required.', 'Was macht git stash?'),
  except: id('int64', 'Id of a card to leave out.'),
})

export const SimilarCards = Type.Object({
  cards: Type.Array(
    Type.Object({
      id: Type.Integer(),
      question: Type.String(),
      deck: DeckName,
      same: Type.Boolean({ description: 'Whether the questions are equal apart from case, marks and punctuation.' }),
    }),
    { description: 'At most five, the same question first.' },
  ),
})

export const VersionParams = Type.Object({
  id: Type.String({ description: 'Decimal digits.', examples: ['17'] }),
  version: Type.String({ description: 'Decimal digits.', examples: ['2'] }),
})

export const CardVersions = Type.Object({
  versions: Type.Array(
    Type.Object({
      version: Type.Integer(),
      changed_at: Timestamp,
      changed_by_name: nullable(Type.String({ description: 'Display name.' })),
      changed_by: nullable(Type.String({ description: 'User name; null if unknown or the account has been deleted.' })),
      accepted_by: nullable(Type.String({ description: 'Editor who accepted the suggested text.' })),
      how: NullableChangeKindSchema,
      ...TEXT_FIELDS,
    }),
    { description: 'Newest first; fewer than `limit` if the texts are long.' },
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const ProgressReset = Type.Object({
  learners: Type.Integer({ description: 'Number of users whose progress was reset.', examples: [14] }),
})
