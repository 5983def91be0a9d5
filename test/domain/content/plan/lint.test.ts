import t from 'tap'
import { type Finding, withoutKind } from '../../../../src/domain/content/findings.js'
import { parseDeck } from '../../../../src/domain/content/format/parse-deck.js'
import { lintPlan } from '../../../../src/domain/content/plan/lint.js'

const MESSAGE =
  'Der letzte Codeblock der Antwort ist nicht geschlossen: die Überschriften ## darin beginnen keine Karte'

/** Returns the warnings for a deck of new cards whose first card has the given answer. */
function warningsOf(answer: string) {
  const card = (id: string, text: string) => `## Frage\n<!-- id: ${id}; level: l -->\n\n### Antwort\n${text}\n\n`
  const file = `---\nname: Git\n---\n${card('a', answer)}${card('b', 'Text')}`
  const { deck } = parseDeck('decks/git.md', Buffer.from(file))
  if (deck === undefined) throw new Error(`the file is faulty: ${file}`)
  const newCards = deck.cards.map((card, sort_order) => ({ deck, card, sort_order }))
  const warnings: Finding[] = []
  const steps = lintPlan(
    { newCards, changedCards: [] },
    ({ file }) => file,
    (warning) => warnings.push(warning),
  )
  while (!steps.next().done);
  return warnings.map(withoutKind)
}

t.test('a code block that is not closed and swallows the next card gives a warning', async (t) => {
  for (const answer of ['```bash\ngit stash', 'Text\n\n~~~\ngit stash\n```', '````\ngit stash\n```']) {
    const warning = { file: 'decks/git.md', line: 4, code: 'open_block', details: {}, message: MESSAGE }
    t.strictSame(warningsOf(answer), [warning], answer)
  }
})

t.test('other code blocks give no warning', async (t) => {
  for (const answer of [
    '```bash\n## Kommentar\n```',
    '```\n## Kommentar\n````',
    '~~~\n## Kommentar\n~~~\n\nText',
    '- Punkt\n\n  ```\n  git stash',
  ]) {
    t.strictSame(warningsOf(answer), [], answer)
  }
})
