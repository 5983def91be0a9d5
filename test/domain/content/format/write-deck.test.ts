import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { parseDeck } from '../../../../src/domain/content/format/parse-deck.js'
import { parseSheet } from '../../../../src/domain/content/format/parse-sheet.js'
import { type WrittenCard, writeCard, writeDeckHead } from '../../../../src/domain/content/format/write-deck.js'
import { writeSheet } from '../../../../src/domain/content/format/write-sheet.js'

const ENCODER = new TextEncoder()

function read(text: string) {
  const { deck, faults } = parseDeck('decks/x.md', ENCODER.encode(text))
  t.strictSame(faults, [], text)
  return deck
}

function card(question: string, answer: string, level = 'grundlagen'): WrittenCard {
  return { key: 'k', question, answer, level }
}

function textsOf(cards: readonly WrittenCard[] | undefined) {
  return cards?.map(({ key, question, answer, level }) => ({ key, question, answer, level }))
}

t.test('writes a card as people do', async (t) => {
  t.equal(
    writeCard(card('Was macht `git stash`?\n\nMit Beispiel.', 'Legt *weg*.')),
    '## Was macht `git stash`?\n<!-- id: k; level: grundlagen -->\nMit Beispiel.\n\n### Antwort\nLegt *weg*.\n',
  )
  t.equal(
    writeCard(card('Zwei\nZeilen', 'Ja')),
    '##\n<!-- id: k; level: grundlagen -->\nZwei\nZeilen\n\n### Antwort\nJa\n',
  )
})

t.test('writes verbatim what the format cannot express', async (t) => {
  const hostile = [
    card('## Überschrift', 'a'),
    card('Frage\n\n### Antwort\nkeine', 'a'),
    card('Frage', 'Text\n\n## Noch eine Überschrift\n\n### Antwort\nx'),
    card('Frage', '```\noffen'),
    card('Frage', '<!-- offen'),
    card('Frage', '<script>\noffen'),
    card(' Leerzeichen ', '\n\nLeerzeilen\n\n'),
    card('Frage', '    Code\nund Text'),
    card('Frage', 'Antwort', 'a; b --> c'),
    card('Frage', 'Antwort', ''),
    card('Frage', 'Antwort', '"x"'),
    card('', ''),
    card('Frage #', 'Antwort'),
    card('<!-- id: x; level: y -->', 'Antwort'),
    card('Titel\n---', '# Titel\n===\n***'),
    card('Frage', `${'> '.repeat(150)}tief`),
    card('Frage', '````\n```\n````\n`````'),
    card('Frage', '- a\n\n  ~~~\n  offen'),
  ].map((one, index) => ({ ...one, key: `k${index}` }))
  const text = [writeDeckHead({ name: 'X', description: '', sort_order: 0 }, undefined), ...hostile.map(writeCard)]
  t.strictSame(textsOf(read(text.join('\n'))?.cards), hostile)
})

const pieces = fc.constantFrom(
  ...[
    '# a',
    '## b',
    '### Antwort',
    '## ',
    '##',
    '```',
    '````',
    '~~~',
    '<!--',
    '-->',
    '<div>',
    '<script>',
    '---',
    '===',
  ],
  ...[
    '- x',
    '  - y',
    '1. z',
    '> q',
    '    code',
    '\tTab',
    '',
    ' ',
    'Text',
    '| a | b |',
    '|---|---|',
    '[x]: y',
    '\\',
    'a #',
  ],
  ...['`', '&amp;', '<?', '<![CDATA[', '\u00a0', '\u2028', '\u0085', '\f', '-->', '"'],
)
const markdown = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 6 })
  .map((lines) => {
    return lines.join('\n').replaceAll(/[\0\r]/g, '')
  })

t.test('every deck is read back unchanged', async () => {
  const cards = fc.array(fc.record({ question: markdown, answer: markdown, level: markdown }), { maxLength: 5 })
  const name = fc.string({ unit: 'grapheme', minLength: 1 })
  const order = fc.integer({ min: -999, max: 999 })
  const property = fc.property(cards, name, markdown, order, (drawn, name, description, sort_order) => {
    const written = drawn.map((one, index) => ({ ...one, key: `k-${index}` }))
    const text = [writeDeckHead({ name, description, sort_order }, 'ein-slug'), ...written.map(writeCard)].join('\n')
    const deck = parseDeck('decks/x.md', ENCODER.encode(text))
    assert.deepEqual(deck.faults, [])
    const { cards } = deck.deck ?? { cards: [] }
    for (const [index, card] of cards.entries()) {
      const { question, answer } = written[index] as WrittenCard
      assert.deepEqual([card.question, card.answer, card.key], [question, answer, `k-${index}`])
    }
    assert.equal(cards.length, written.length)
    assert.deepEqual(
      [deck.deck?.slug, deck.deck?.description, deck.deck?.sort_order],
      ['ein-slug', description, sort_order],
    )
  })
  fc.assert(property, { numRuns: 300 })
})

t.test('every sheet is read back unchanged', async () => {
  const title = markdown.filter((text) => text.trim() !== '')
  const property = fc.property(title, title, markdown, (title, category, content_md) => {
    const text = writeSheet({ title, category, content_md }, 'ein-slug')
    const { sheet, faults } = parseSheet('cheatsheets/x.md', ENCODER.encode(text))
    assert.deepEqual(faults, [])
    assert.deepEqual(sheet, { slug: 'ein-slug', title, category, content_md })
  })
  fc.assert(property, { numRuns: 300 })
})

t.test('reports faults of verbatim cards', async (t) => {
  const deckOf = (comment: string, body: string) =>
    parseDeck('decks/x.md', ENCODER.encode(`---\nname: X\n---\n##\n<!-- ${comment} -->\n${body}`)).faults
  const fences = '```\nF\n```\n\n### Antwort\n```\nA\n```\n'
  t.strictSame(deckOf('id: a; level: "b"; verbatim: true', fences), [])
  t.match(deckOf('id: a; level: b; verbatim: true', fences), [{ line: 5, message: /als JSON/ }])
  t.match(deckOf('id: a; level: b; verbatim: ja', fences), [{ line: 5, message: /true oder false/ }])
  t.match(deckOf('id: a; level: "b"; verbatim: true', `Text\n\n${fences}`), [{ line: 4, message: /Codeblock/ }])
  t.match(deckOf('id: a; level: "b"; verbatim: true', `${fences}\nText`), [{ line: 4, message: /Codeblock/ }])
  t.match(deckOf('id: a; level: "b"; verbatim: true', 'F\n\n### Antwort\nA'), [{ line: 4, message: /Codeblock/ }])
  t.match(deckOf('id: a; level: "b"; verbatim: true', '```\nF\n```\n\n### Antwort\n```\nA'), [{ message: /Codeblock/ }])
})
