import assert from 'node:assert/strict'
import t from 'tap'
import { eachText, MARKDOWN_TEXTS } from '../../../../src/domain/content/card-texts.js'
import { parseDeck } from '../../../../src/domain/content/format/parse-deck.js'
import { parseSheet } from '../../../../src/domain/content/format/parse-sheet.js'
import { type WrittenCard, writeCard, writeDeckHead } from '../../../../src/domain/content/format/write-deck.js'
import { writeSheet } from '../../../../src/domain/content/format/write-sheet.js'
import { type Exercise, type ExerciseInput, FORMS, parseExercise } from '../../../../src/domain/questions/exercise.js'
import { toLine } from '../../../../src/domain/text/text.js'
import fc, { runs } from '../../../support/property.js'

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

t.test('writes a card as an author would', async (t) => {
  t.equal(
    writeCard(card('Was macht `git stash`?\n\nMit Beispiel.', 'Legt *weg*.')),
    '## Was macht `git stash`?\n<!-- id: k; level: grundlagen -->\nMit Beispiel.\n\n### Antwort\nLegt *weg*.\n',
  )
  t.equal(
    writeCard(card('Zwei\nZeilen', 'Ja')),
    '##\n<!-- id: k; level: grundlagen -->\nZwei\nZeilen\n\n### Antwort\nJa\n',
  )
  t.equal(writeCard(card('F', 'A', '')), '## F\n<!-- id: k; level: "" -->\n\n### Antwort\nA\n', 'without a level')
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
    card('Frage', 'Antwort', '""'),
    card('', ''),
    card('Frage #', 'Antwort'),
    card('<!-- id: x; level: y -->', 'Antwort'),
    card('Titel\n---', '# Titel\n===\n***'),
    card('Frage', `${'> '.repeat(150)}tief`),
    card('Frage', '````\n```\n````\n`````'),
    card('Frage', '- a\n\n  ~~~\n  offen'),
  ].map((one, index) => ({ ...one, key: `k${index}` }))
  const text = [
    writeDeckHead({ name: 'X', description: '', sort_order: 0 }, undefined),
    ...hostile.map((one) => writeCard(one)),
  ]
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

t.test('writes options, form and draft as an author would', async (t) => {
  const options = [
    { text: 'Innerhalb von 72 Stunden', correct: true, feedback: null },
    { text: 'Innerhalb von 24 Stunden', correct: false, feedback: 'Das gilt\n\nfür NIS-2.' },
    { text: 'Nie:\n\n```sh\nls\n```', correct: false, feedback: null },
  ]
  const choice: Exercise = { form: 'choice', options, tolerance: null, unit: null }
  const list =
    '- [x] Innerhalb von 72 Stunden\n- [ ] Innerhalb von 24 Stunden\n  > Das gilt\n  >\n  > für NIS-2.\n- [ ] Nie:\n\n  ```sh\n  ls\n  ```'
  t.equal(
    writeCard({ ...card('Wann?', 'Binnen **72 Stunden**.'), exercise: choice, draft: true }),
    `## Wann?\n<!-- id: k; level: grundlagen; draft: true -->\n\n### Antwort\nBinnen **72 Stunden**.\n\n${list}\n`,
  )
  const number: Exercise = { form: 'number', options: [], tolerance: 0.5, unit: 'MB' }
  t.equal(
    writeCard({ ...card('Wie groß?', '2,5 MB'), exercise: number }),
    '## Wie groß?\n<!-- id: k; level: grundlagen; form: number; tolerance: 0.5; unit: MB -->\n\n### Antwort\n2,5 MB\n',
  )
  const short = { ...choice, options: options.slice(1, 2) }
  t.match(writeCard({ ...card('F', 'A\n\n- b'), exercise: choice }), /- b\n\n\* \[x\]/, 'another list, another bullet')
  t.match(writeCard({ ...card('F', 'A'), exercise: short }, true), /verbatim: true/, 'where lists have no meaning')
  t.match(writeCard(card('F', 'A\n\n- [x] b\n- [ ] c')), /verbatim: true/, 'a list that is text')
  t.notMatch(writeCard(card('F', 'A\n\n- [x] b\n- [ ] c'), true), /verbatim: true/)
})

const optionLine = fc.oneof(
  fc.constantFrom(
    '- [x] a',
    '[ ] b',
    '[x]',
    '> Zitat',
    '- c',
    '  - d',
    '```',
    '1. e',
    '\t',
    '',
    '##',
    '-->',
    '~~~',
    '{"',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const optionText = fc
  .array(optionLine, { minLength: 1, maxLength: 3 })
  .map((lines) => lines.join('\n').replaceAll('\0', '').toWellFormed())
const options = fc.array(fc.record({ text: optionText, correct: fc.boolean(), feedback: fc.option(optionText) }), {
  maxLength: 4,
})
const rightOptions = options.map((list) => list.map((option) => ({ ...option, correct: true })))
const listAnswers = fc.constantFrom('A', '- a\n- b', '* a', '- [x] a', 'A\n\n- [ ] b', '```\noffen')
const answered = fc.oneof(
  fc.record({ form: fc.constantFrom(null, 'choice'), options, answer: fc.oneof(markdown, listAnswers) }),
  fc.record({ form: fc.constant('text'), options: rightOptions, answer: fc.oneof(markdown, listAnswers) }),
  fc.record({
    form: fc.constant('number'),
    answer: fc.constantFrom('72', '2,5 MB', 'Viele'),
    options: fc.constantFrom([], [{ text: '72', correct: true }]),
    tolerance: fc.option(fc.double({ min: 0.000001, max: 1e15 })),
    unit: fc.constantFrom(null, 'MB', 'km/h', 'Ω %'),
  }),
  fc.record({ form: fc.constant('order'), answer: fc.constantFrom('1. a\n2. b', 'So:\n\n3) a\n4) b\n\n- [x] c') }),
  fc.record({ form: fc.constant('gaps'), answer: fc.constantFrom('In {{72|zweiundsiebzig}} h', '- {{a}}\n- [x] b') }),
)

function exerciseFor({ answer, ...input }: ExerciseInput & { answer: string }): Exercise | null {
  const faults: string[] = []
  const exercise = parseExercise(input, answer, (message) => faults.push(message))
  return faults.length > 0 ? null : exercise
}

/** One card of each form */
const EVERY_FORM: (typeof answered extends fc.Arbitrary<infer T> ? T : never)[] = [
  { form: 'choice', answer: 'A', options: [{ text: 'b', correct: false, feedback: null }] },
  { form: 'text', answer: 'A', options: [{ text: 'b', correct: true, feedback: null }] },
  { form: 'number', answer: '2,5 MB', options: [], tolerance: 0.5, unit: 'MB' },
  { form: 'order', answer: '1. a\n2. b' },
  { form: 'gaps', answer: 'In {{72|zweiundsiebzig}} h' },
]

t.test('every exercise is read back unchanged', async (t) => {
  t.strictSame(
    EVERY_FORM.map((answered) => exerciseFor(answered)?.form),
    FORMS,
  )
  const drawn = fc.array(fc.record({ question: markdown, answered, draft: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  })
  const property = fc.property(drawn, fc.boolean(), fc.boolean(), (drawn, options_off, tests_only) => {
    const cards = drawn.map(({ question, answered, draft }, index) => {
      const exercise = exerciseFor(answered)
      return { key: `k-${index}`, question, answer: answered.answer, level: 'l', exercise, draft }
    })
    const head = { name: 'X', description: '', sort_order: 0, options_off, tests_only, lang: 'en' }
    const text = [writeDeckHead(head, 'x'), ...cards.map((one) => writeCard(one, options_off))].join('\n')
    const { deck, faults } = parseDeck('decks/x.md', ENCODER.encode(text))
    assert.deepEqual(faults, [])
    const { cards: read = [], options_off: off, tests_only: pool, lang } = deck ?? {}
    assert.deepEqual([off, pool, lang], [options_off, tests_only, 'en'])
    assert.deepEqual(
      read.map(({ key, question, answer, level, exercise, draft }) => ({
        key,
        question,
        answer,
        level,
        exercise,
        draft,
      })),
      cards.map(({ key, question, answer, level, exercise, draft }) => ({
        key,
        question,
        answer,
        level,
        exercise,
        draft,
      })),
    )
    const again = read.map((one) => writeCard(one, options_off))
    assert.deepEqual(
      again,
      cards.map((one) => writeCard(one, options_off)),
    )
  })
  fc.assert(property, {
    numRuns: runs(300),
    examples: [[EVERY_FORM.map((answered) => ({ question: 'F', answered, draft: false })), false, false]],
  })
})

t.test('every deck is read back unchanged', async () => {
  const cards = fc.array(fc.record(eachText(() => markdown)), { maxLength: 5 })
  const name = fc.string({ unit: 'grapheme', minLength: 1 })
  const order = fc.integer({ min: -999, max: 999 })
  const property = fc.property(cards, name, markdown, order, (drawn, name, description, sort_order) => {
    const written = drawn.map((one, index) => ({ ...one, key: `k-${index}` }))
    const text = [
      writeDeckHead({ name, description, sort_order }, 'ein-slug'),
      ...written.map((one) => writeCard(one)),
    ].join('\n')
    const deck = parseDeck('decks/x.md', ENCODER.encode(text))
    assert.deepEqual(deck.faults, [])
    const { cards } = deck.deck ?? { cards: [] }
    for (const [index, card] of cards.entries()) {
      for (const name of MARKDOWN_TEXTS) assert.equal(card[name], written[index]?.[name])
      assert.equal(card.key, `k-${index}`)
    }
    assert.equal(cards.length, written.length)
    assert.deepEqual(
      [deck.deck?.slug, deck.deck?.description, deck.deck?.sort_order],
      ['ein-slug', description, sort_order],
    )
  })
  fc.assert(property, { numRuns: runs(300) })
})

t.test('every sheet is read back unchanged', async () => {
  const title = markdown.map(toLine).filter((text) => text !== '')
  const group = fc.record({ lang: fc.constantFrom('de', 'en'), translation_of: fc.constantFrom(null, 'anderer', '7') })
  const drawn = [title, title, markdown, fc.boolean(), group] as const
  const property = fc.property(...drawn, (title, category, content_md, draft, group) => {
    const text = writeSheet({ title, category, content_md, draft, ...group }, 'ein-slug')
    const { sheet, faults } = parseSheet('cheatsheets/x.md', ENCODER.encode(text))
    assert.deepEqual(faults, [])
    const { translation: { lang, translation_of } = {}, ...read } = sheet ?? {}
    assert.deepEqual(read, { slug: 'ein-slug', title, category, content_md, draft })
    assert.deepEqual([lang, translation_of], [group.lang, group.translation_of])
  })
  fc.assert(property, { numRuns: runs(300) })
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
