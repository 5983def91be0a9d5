import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/types.js'
import type { Exercise } from '../../src/domain/questions/exercise.js'
import { type FrozenQuestion, freezeQuestion } from '../../src/domain/questions/frozen.js'
import type { Answer } from '../../src/domain/questions/judge.js'
import type { TestDefinition } from '../../src/domain/tests/definition.js'
import { unique } from './factories.js'

const newId = () => randomBytes(8).toString('base64url')

/** One question of each form, by form */
export const CARDS = {
  single: choice('Wie lange ist Zeit?', [
    ['72 Stunden', true],
    ['24 Stunden', false],
    ['7 Tage', false],
    ['30 Tage', false],
  ]),
  multiple: choice('Was sind Rechte?', [
    ['Auskunft', true],
    ['Löschung', true],
    ['Werbung', false],
    ['Rabatt', false],
  ]),
  text: { question: 'Hauptstadt?', answer: 'Rom', exercise: exercise('text') },
  number: { question: 'Wie groß?', answer: '1500', exercise: { ...exercise('number'), unit: 'MB' } },
  order: { question: 'Ordne!', answer: '1. eins\n2. zwei\n3. drei', exercise: exercise('order') },
  gaps: {
    question: 'Fülle!',
    answer: 'Nach {{72|zweiundsiebzig}} Stunden an die {{Behörde}}',
    exercise: exercise('gaps'),
  },
} satisfies Record<string, Card>

interface Card {
  question: string
  answer: string
  exercise: Exercise
}

function exercise(form: Exercise['form']): Exercise {
  return { form, options: [], tolerance: null, unit: null }
}

function choice(question: string, options: [text: string, correct: boolean][]): Card {
  const listed = options.map(([text, correct]) => ({ text, correct, feedback: null }))
  return { question, answer: 'Darum', exercise: { ...exercise('choice'), options: listed } }
}

/**
 * Returns a card with a single choice question of four options.
 * @param right index of the right option
 */
export function singleChoice(question: string, right = 0): Card {
  const texts = ['Alpha', 'Beta', 'Gamma', 'Delta']
  return choice(
    question,
    texts.map((text, index) => [text, index === right]),
  )
}

export const DEFINITION: TestDefinition = {
  name: 'Datenschutz',
  description: 'Für alle',
  introduction: 'Viel Erfolg!',
  pass_percent: 80,
  multiple: 'partial',
  attempts: 3,
  wait_minutes: 0,
  time_limit_minutes: 20,
  shuffle: true,
  pages: 'one',
  access: 'open',
  review: 'explanations',
  review_when: 'passed_or_last',
  opens: null,
  closes: null,
  sections: [{ deck: 'datenschutz', level: null, cards: null, draw: null }],
}

export interface PublishedTest {
  id: number
  slug: string
  version: number
  questions: { id: number; content: FrozenQuestion }[]
}

/** Publishes a new test, or a further version of `of`, by inserting rows. All cards belong to the first section. */
export async function publishTest(
  db: Kysely<Database>,
  definition: Partial<TestDefinition> = {},
  {
    cards = Object.values(CARDS),
    of,
    sourceId = null,
    cardIds = [],
  }: { cards?: Card[]; of?: PublishedTest; sourceId?: number | null; cardIds?: number[] } = {},
): Promise<PublishedTest> {
  const content = JSON.stringify({ ...DEFINITION, ...definition })
  const slug = of?.slug ?? unique('test')
  const { id } =
    of ??
    (await db
      .insertInto('tests')
      .values({ slug, source_id: sourceId, source_key: sourceId === null ? null : slug, definition: content })
      .returning('id')
      .executeTakeFirstOrThrow())
  const version = (of?.version ?? 0) + 1
  await db
    .insertInto('test_versions')
    .values({
      test_id: id,
      version,
      definition: content,
      open_questions: false,
      digest: Buffer.alloc(32),
      published_by: null,
    })
    .execute()
  const questions: PublishedTest['questions'] = []
  for (const [position, card] of cards.entries()) {
    const frozen = freezeQuestion(card, newId)
    const row = await db
      .insertInto('test_questions')
      .values({
        test_id: id,
        version,
        section: 0,
        position,
        card_id: cardIds[position] ?? null,
        content: JSON.stringify(frozen),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    questions.push({ id: row.id, content: frozen })
  }
  await db.updateTable('tests').set({ published_version: version, definition: content }).where('id', '=', id).execute()
  return { id, slug, version, questions }
}

export interface ApiQuestion {
  slot: number
  form: FrozenQuestion['form']
  question: string
  options?: { id: string; text: string }[]
  items?: { id: string; text: string }[]
  gaps?: { id: string; choices?: string[] }[]
  seq: number
  answer: Answer | null
}

/** Returns the right answer to a question of `CARDS`, or to a `singleChoice` question with the right option first. */
export function rightAnswerTo({ form, options = [], items = [], gaps = [] }: ApiQuestion): Answer {
  const idsOf = (texts: string[], parts: { id: string; text: string }[]) =>
    texts.flatMap((text) => parts.filter((part) => part.text === text).map(({ id }) => id))
  switch (form) {
    case 'single':
      return { option_ids: idsOf(['72 Stunden', 'Alpha'], options).slice(0, 1) }
    case 'multiple':
      return { option_ids: idsOf(['Auskunft', 'Löschung'], options) }
    case 'text':
      return { text: 'rom.' }
    case 'number':
      return { text: '1500 MB' }
    case 'order':
      return { item_ids: idsOf(['eins', 'zwei', 'drei'], items) }
    case 'gaps':
      return { gaps: Object.fromEntries(gaps.map(({ id }, index) => [id, ['zweiundsiebzig', 'behörde'][index] ?? ''])) }
  }
}
