import { parseDefinition, type TestDefinition } from '../../src/domain/tests/definition.js'
import { writeCard, writeDeck } from './editing.js'
import { unique } from './factories.js'
import type { Caller } from './service.js'

/**
 * Returns a test definition with the defaults of the parser.
 * @throws Error if the parser reports a fault of the input
 */
export function defineTest(input: object): TestDefinition {
  const definition = parseDefinition(
    { name: unique('Test'), sections: [{ deck: 'git' }], ...input },
    (_key, message) => {
      throw new Error(message)
    },
  )
  return definition as TestDefinition
}

/** Options of a single choice; the first is right. */
export const OPTIONS = ['72 Stunden', '24 Stunden', '7 Tage', '30 Tage'].map((text, index) => ({
  text,
  correct: index === 0,
  feedback: index === 1 ? 'Das gilt für NIS-2' : null,
}))

/** Creates a question through the API. Returns its card. */
export async function writeQuestion(editor: Caller, deck: string, rest: object = {}) {
  return writeCard(editor, deck, { answer: 'Darum', options: OPTIONS, ...rest })
}

export interface WrittenTest {
  slug: string
  /** Slug of the pool */
  deck: string
  /** Ids of the cards */
  cards: number[]
  /** Published version */
  version: number
}

/**
 * Creates a pool with single choice questions and a test that draws from it, and publishes the test, all through the
 * API.
 */
export async function writeTest(
  editor: Caller,
  source_id: number,
  rest: object = {},
  { questions = 3, tests_only = true }: { questions?: number; tests_only?: boolean } = {},
): Promise<WrittenTest> {
  const deck = await writeDeck(editor, source_id, { tests_only })
  const cards: number[] = []
  while (cards.length < questions) cards.push((await writeQuestion(editor, deck)).id)
  const slug = unique('test')
  const body = { source_id, name: 'Datenschutz', sections: [{ deck }], ...rest }
  const saved = await editor.send({ method: 'PUT', url: `/api/content/tests/${slug}`, payload: body })
  if (saved.status !== 200) throw new Error(saved.body.message)
  const published = await editor.post(`/api/content/tests/${slug}/publish`)
  if (published.status !== 200) throw new Error(published.body.message)
  return { slug, deck, cards, version: published.body.version }
}
