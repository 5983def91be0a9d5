import { parseDefinition, type TestDefinition } from '../../src/domain/tests/definition.js'
import { writeCard, writeDeck } from './editing.js'
import { unique } from './factories.js'
import type { Caller } from './service.js'

/**
 * Parses a test definition. By default, the test has a unique name and one section, which uses the deck `git`.
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

export const OPTIONS = ['72 Stunden', '24 Stunden', '7 Tage', '30 Tage'].map((text, index) => ({
  text,
  correct: index === 0,
  feedback: index === 1 ? 'Das gilt für NIS-2' : null,
}))

export async function writeQuestion(editor: Caller, deck: string, rest: object = {}) {
  return writeCard(editor, deck, { answer: 'Darum', options: OPTIONS, ...rest })
}

export interface WrittenTest {
  slug: string
  deck: string
  cards: number[]
  version: number
}

/**
 * Creates a deck of single choice questions and publishes a test of these questions, all through the API. By default,
 * the deck is a question pool.
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
