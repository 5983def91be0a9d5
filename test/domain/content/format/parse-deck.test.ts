import assert from 'node:assert/strict'
import t from 'tap'
import { EMPTY_TEXTS, eachText } from '../../../../src/domain/content/card-texts.js'
import { COMMENT_TEXTS } from '../../../../src/domain/content/format/card-comment.js'
import { parseDeck, parseDeckInSteps } from '../../../../src/domain/content/format/parse-deck.js'
import { splitSections } from '../../../../src/domain/content/format/sections.js'
import type { CardSource, DeckSource } from '../../../../src/domain/content/types.js'
import { anyCharacter } from '../../../support/arbitraries.js'
import fc, { runs } from '../../../support/property.js'

const HEAD = '---\nname: Git\n---\n'
const encode = (text: string) => new TextEncoder().encode(text)
const parse = (text: string, file = 'decks/git.md') => parseDeck(file, encode(text))
const card = (id: string, rest = '', answer = 'Ja.') =>
  `## Frage ${id}\n<!-- id: ${id}; level: leicht -->\n${rest}\n### Antwort\n${answer}\n`

function faultsOf(text: string): string[] {
  const { deck, faults } = parse(text)
  t.equal(deck === undefined, faults.length > 0, 'a deck or faults')
  return faults.map(({ line, message }) => `${line}: ${message}`)
}

function onlyCard(text: string) {
  const { deck, faults } = parse(HEAD + text)
  t.same(faults, [])
  t.equal(deck?.cards.length, 1)
  const [first] = deck?.cards ?? []
  if (first === undefined) throw new Error('no card')
  return first
}

t.test("reads the contract's example with any line ends", async (t) => {
  const text = `---
slug: git-grundlagen        # default: the file's name
name: Git Grundlagen
description: Das tägliche Handwerkszeug
sort_order: 10              # default 0
---
## Was macht \`git stash\`?
<!-- id: git-stash; level: grundlagen -->
Optional further text of the question, fences and lists allowed.

### Antwort
Legt Änderungen **beiseite**, bis zum nächsten \`git stash pop\`.
`
  for (const end of ['\n', '\r\n', '\r']) {
    t.same(parse(`\ufeff${text.replaceAll('\n', end)}`), {
      deck: {
        file: 'decks/git.md',
        slug: 'git-grundlagen',
        aliases: [],
        name: 'Git Grundlagen',
        description: 'Das tägliche Handwerkszeug',
        sort_order: 10,
        tests_only: false,
        options_off: false,
        lang: 'de',
        desired_retention: null,
        translation: { lang: 'de', translation_of: null, file: 'decks/git.md', lines: { lang: 1, translation_of: 1 } },
        cards: [
          {
            ...EMPTY_TEXTS,
            key: 'git-stash',
            aliases: [],
            question: 'Was macht `git stash`?\n\nOptional further text of the question, fences and lists allowed.',
            answer: 'Legt Änderungen **beiseite**, bis zum nächsten `git stash pop`.',
            level: 'grundlagen',
            draft: false,
            line: 7,
          },
        ],
      },
      aliases: [],
      slug: { file: 'decks/git.md', line: 2, slug: 'git-grundlagen' },
      faults: [],
    })
  }
})

t.test('only top-level ATX headings start cards and answers', async (t) => {
  const question =
    '```md\n## Zaun\n### Antwort\n```\n\n- Liste\n\n  ## Liste\n  ### Antwort\n\n> ## Zitat\n> ### Antwort\n\nSetext\n---\n\n# Eins\n\n#### Antwort\n\n### Keine Antwort'
  const answer =
    '<div>\n## HTML\n</div>\n\n    ## Code\n\n### Antwort\n\nnoch eine\n\n##Kein Leerzeichen\n\\## Maskiert'
  const first = onlyCard(card('a', question, answer))
  t.equal(first.question, `Frage a\n\n${question}`)
  t.equal(first.answer, answer)
})

t.test('parses headings that are indented, closed or without text', async (t) => {
  const first = onlyCard('  ##\tWas `ist` **das**? ##  \n<!-- id: a; level: b -->\n   ### Antwort ###\nText')
  t.equal(first.question, 'Was `ist` **das**?')
  t.equal(first.answer, 'Text')
  t.equal(onlyCard('##\n<!-- id: a; level: b -->\nNur Text\n### Antwort\nJa').question, 'Nur Text')
})

t.test('parses the comment of a card and reports its invalid values', async (t) => {
  const head = '## F\n'
  const end = '\n### Antwort\nJa'
  const several = onlyCard(
    `${head}\n  <!--\n id : a ;\n\n level:  sehr: schwer <b>;\n aliases: [x, y-1\n ,z];\n-->${end}`,
  )
  t.same(several, {
    ...EMPTY_TEXTS,
    key: 'a',
    aliases: ['x', 'y-1', 'z'],
    question: 'F',
    answer: 'Ja',
    level: 'sehr: schwer <b>',
    draft: false,
    line: 4,
  })
  t.equal(onlyCard(`${head}<!-- id: a; level: b --> dahinter\nund weiter${end}`).question, 'F\n\ndahinter\nund weiter')
  t.equal(onlyCard(`${head}<!-- id: a; level: b --><!-- Notiz -->${end}`).question, 'F\n\n<!-- Notiz -->')
  t.same(onlyCard(`${head}<!--id:a;level:b;aliases:[]-->${end}`).aliases, [])
  const number = onlyCard(
    `${head}<!-- id: a; level: b; form: number; tolerance: 0,5; unit: km/h; draft: true -->\n### Antwort\n50 km/h`,
  )
  t.same([number.exercise, number.draft], [{ form: 'number', options: [], tolerance: 0.5, unit: 'km/h' }, true])
  const comment = (text: string) => faultsOf(`${HEAD}${head}<!-- id: a; level: b; ${text} -->${end}`)
  t.match(comment('draft: ja'), [/^5: „draft“ muss true oder false sein$/])
  t.match(comment('form: quiz'), [/^5: Die Form „quiz“ gibt es nicht/])
  t.match(comment('form: number; tolerance: viel'), [
    /^5: „tolerance“ muss eine Zahl ab 0 sein$/,
    /ist die Antwort eine Zahl/,
  ])
  t.match(comment('unit: km'), [/nur mit „form: number“/])
})

t.test('front matter of pools, lists as text, languages and retention', async (t) => {
  const of = (yaml: string) => parse(`---\nname: A\n${yaml}\n---\n`)
  t.match(of('tests_only: true\noptions: off\nlang: en-GB\ndesired_retention: 0.95').deck, {
    tests_only: true,
    options_off: true,
    lang: 'en-GB',
    desired_retention: 0.95,
  })
  t.match(of('tests_only: false\noptions: on').deck, { tests_only: false, options_off: false, lang: 'de' })
  t.match(of('tests_only: ja').faults, [{ line: 3, message: '„tests_only“ muss true oder false sein' }])
  t.match(of('options: aus').faults, [{ line: 3, message: '„options“ muss on oder off sein' }])
  t.match(of('lang: Deutsch').faults, [{ line: 3, message: /„lang“ muss ein Kürzel/ }])
  for (const wrong of ['0.79', '0.98', '95 %', '95', '.nan', '']) {
    const { faults } = of(`desired_retention: ${wrong}`)
    t.match(faults, [{ line: 3, message: '„desired_retention“ muss eine Zahl von 0.80 bis 0.97 sein' }], wrong)
  }
})

t.test('keeps meaningful indentation', async (t) => {
  t.equal(onlyCard(card('a', '', '\n\n    code\n    mehr\n\n')).answer, '    code\n    mehr')
  t.equal(onlyCard(card('a', '', '  - a\n  - b')).answer, '  - a\n  - b')
  t.equal(onlyCard(card('a', '\n    code', '  Text  \n weiter \t\n')).answer, 'Text  \n weiter')
  t.equal(onlyCard(card('a', '\n    code\n')).question, 'Frage a\n\n    code')
})

t.test('reports all faults of a card with their lines', async (t) => {
  const comment = 'Unter der Überschrift fehlt der Kommentar <!-- id: …; level: … -->'
  const badId = 'ist keine gültige id: 1 bis 64 Zeichen aus a–z, 0–9 und Bindestrich'
  t.same(
    faultsOf(
      `${HEAD}\nVorher\n${card('a')}${card('a')}## Ohne Kommentar\nText\n### Antwort\nJa\n##\n<!-- id: c; level: x -->\n### Antwort\n\n## Ohne Antwort\n<!-- id: d; level: x -->\n`,
    ),
    [
      '5: Text außerhalb einer Karte: jede Karte beginnt mit einer Überschrift ##',
      '11: Die id „a“ hat schon die Karte in Zeile 6',
      `16: ${comment}`,
      '20: Die Frage der Karte ist leer',
      '22: Die Antwort der Karte ist leer',
      '24: Der Karte fehlt die Zeile „### Antwort“',
    ],
  )
  const withComment = (text: string) => faultsOf(`${HEAD}## F\n${text}\n### Antwort\nJa`)
  t.same(withComment('Text\n\n<!-- id: a; level: b -->'), [`4: ${comment}`])
  t.same(withComment('<div>\n'), [`4: ${comment}`])
  t.same(withComment('<!-- id: a; level: b'), [
    '4: Der Karte fehlt die Zeile „### Antwort“',
    '5: Der Kommentar ist nicht mit --> geschlossen',
  ])
  t.same(withComment('<!-- -->'), ['5: Der Karte fehlt die „id“', '5: Der Karte fehlt das „level“'])
  t.same(withComment('<!--\nid: Ä;\nlevel:;\nfarbe: rot;\nid: b;\n\nnix -->'), [
    `6: „Ä“ ${badId}`,
    '7: „level“ darf nicht leer sein; ohne Level steht dort ""',
    `8: Unbekannter Schlüssel „farbe“ (erlaubt: id, ${COMMENT_TEXTS.join(', ')}, aliases, draft, form, tolerance, unit, verbatim)`,
    '9: Der Schlüssel „id“ steht mehrfach im Kommentar',
    '11: Der Kommentar der Karte muss aus „schlüssel: wert“ bestehen, getrennt durch ;',
  ])
  for (const level of ['a\tb', 'a\nb', 'a\u0085b', 'a\u2028b']) {
    t.same(withComment(`<!-- id: a; level: ${level} -->`), [
      '5: „level“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten',
    ])
  }
  t.same(withComment(`<!-- id: ${'a'.repeat(65)}; level: b -->`), [`5: „${'a'.repeat(65)}“ ${badId}`])
  t.equal(onlyCard(card('a'.repeat(64))).key, 'a'.repeat(64))
})

t.test('refuses the same texts as an upload', async (t) => {
  const card = (answer: string) => `## F\n<!-- id: a; level: l -->\n### Antwort\n${answer}\n`
  t.same(faultsOf(HEAD + card('x'.repeat(65_536))), [])
  t.same(faultsOf(HEAD + card('x'.repeat(65_537))), ['4: Die Antwort ist länger als 65536 Zeichen'])
})

t.test('reports conflicting and malformed aliases', async (t) => {
  const withAliases = (id: string, aliases: string) =>
    `## F\n<!-- id: ${id}; level: x; aliases: ${aliases} -->\n### Antwort\nJa\n`
  t.same(faultsOf(HEAD + withAliases('a', '[a, b]') + withAliases('b', '[c, c]') + withAliases('d', '[c]')), [
    '4: Der Alias „a“ ist die id der Karte in Zeile 4',
    '4: Der Alias „b“ ist die id der Karte in Zeile 8',
    '8: Den Alias „c“ hat schon die Karte in Zeile 8',
    '12: Den Alias „c“ hat schon die Karte in Zeile 8',
  ])
  t.same(faultsOf(HEAD + withAliases('a', 'b')), [
    '5: „aliases“ muss eine Liste in eckigen Klammern sein, etwa [alte-id]',
  ])
  t.same(
    faultsOf(HEAD + withAliases('a', '[B,]')).map((fault) => fault.slice(0, 6)),
    ['5: „B“', '5: „“ '],
  )
})

t.test('bytes that are no text', async (t) => {
  const bad = Buffer.concat([encode('---\r\nname: G\r---\n## F'), Buffer.from([0xfc]), encode('\n')])
  t.same(parseDeck('decks/a.md', bad), {
    faults: [{ file: 'decks/a.md', line: 4, message: 'Die Datei ist nicht in UTF-8 kodiert' }],
  })
  t.equal(parseDeck('decks/a.md', Uint8Array.of(0x61, 0x0a, 0xc3)).faults[0]?.line, 2)
  t.same(faultsOf(HEAD + card('a', 'x\0')), ['6: NUL-Zeichen sind nicht erlaubt'])
})

t.test('a deck may be empty but needs front matter', async (t) => {
  t.same(parse(HEAD).deck?.cards, [])
  t.same(faultsOf(''), ['1: Das Front Matter fehlt'])
  t.same(faultsOf(card('A').slice(0, 9)), [
    '1: Das Front Matter fehlt',
    '1: Unter der Überschrift fehlt der Kommentar <!-- id: …; level: … -->',
    '1: Der Karte fehlt die Zeile „### Antwort“',
  ])
})

t.test('a second byte order mark is text', async (t) => {
  t.same(faultsOf(`${HEAD}\ufeff## F\n${card('a', '', '')}`), [
    // JavaScript trims U+FEFF, but Markdown does not. The line is therefore a paragraph before the first card.
    '4: Text außerhalb einer Karte: jede Karte beginnt mit einer Überschrift ##',
    '8: Die Antwort der Karte ist leer',
  ])
})

t.test('a task list at the end of the answer holds the options', async (t) => {
  const answer = 'Binnen **72 Stunden**.\n\nMehr.'
  const list = '- [X] 72 Stunden\n- [ ] 24 Stunden,\n  kurz\n  > Gilt für\n  > NIS-2.\n\n-   [ ] 7 Tage\n\n        code'
  t.match(onlyCard(card('a', '', `${answer}\n\n${list}`)), {
    answer,
    draft: false,
    exercise: {
      form: 'choice',
      options: [
        { text: '72 Stunden', correct: true, feedback: null },
        { text: '24 Stunden,\nkurz', correct: false, feedback: 'Gilt für\nNIS-2.' },
        { text: '7 Tage\n\n    code', correct: false, feedback: null },
      ],
    },
  })
  t.match(onlyCard(card('a', '', 'Kurz\n- [ ] falsch')).exercise, { options: [{ text: 'falsch', correct: false }] })
})

t.test('other lists are text', async (t) => {
  for (const answer of [
    '- a\n- b',
    '- [ ] a\n\nEnde',
    '1. [ ] a',
    '> - [ ] a',
    '- [y] a',
    '- [x](b)',
    '```\n- [ ] a\n```',
  ]) {
    const { exercise, answer: read } = onlyCard(card('a', '', answer))
    t.strictSame([exercise, read], [null, answer])
  }
  const off = parse(`---\nname: A\noptions: off\n---\n${card('a', '', 'A\n\n- [x] b')}`)
  t.strictSame(off.faults, [])
  t.match(off.deck, { options_off: true, cards: [{ answer: 'A\n\n- [x] b', exercise: null }] })
})

t.test('faults of options name their line', async (t) => {
  const of = (answer: string, comment = '') => faultsOf(HEAD + card(`a${comment}`, '', answer))
  const start = HEAD.split('\n').length + card('a', '', '').split('\n').length - 2
  t.match(of('A\n\n- [x] b\n- c'), [new RegExp(`^${start + 3}: In einer Liste mit Antworten.*options: off`)])
  t.match(of('A\n\n- [x] b\n- [ ]'), [new RegExp(`^${start + 3}: Eine Antwort zur Auswahl ist leer`)])
  t.match(of('A\n\n- [x] b'), [new RegExp(`^${start + 2}: .*keine falsche.*options: off`)])
  t.match(of('- [x] b\n- [ ] c'), [/Die Antwort der Karte ist leer/])
})

// Draws a paragraph of a single line without white space at its ends.
const paragraph = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  .map((text) => `T${text.replace(/[\p{Cc}\p{Zl}\p{Zp}#\\]/gu, '')}`.trim())
const block = fc.oneof(
  paragraph,
  paragraph.map((text) => `\`\`\`md\n## ${text}\n### Antwort\n\`\`\``),
  paragraph.map((text) => `- a\n\n  ## ${text}\n\n> ## ${text}`),
  paragraph.map((text) => `# ${text}\n\n${text}\n---`),
)
const inComment = paragraph.map((text) => text.replace(/[;>]/g, '').trim())
const body = fc.array(block, { minLength: 1, maxLength: 4 }).map((blocks) => blocks.join('\n\n'))
const id = fc.stringMatching(/^[a-z0-9-]{1,64}$/)
/** Draws objects with the usual prototype, because objects without a prototype do not equal the parsed ones. */
const plainRecord = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { noNullPrototype: true })
/** A deck before writing, without file name, line numbers and group */
type WrittenDeck = Omit<DeckSource, 'file' | 'translation' | 'cards'> & { cards: Omit<CardSource, 'line'>[] }
const deck: fc.Arbitrary<WrittenDeck> = plainRecord({
  slug: paragraph.map((text) => [...text].slice(0, 200).join('')),
  name: paragraph,
  aliases: fc.uniqueArray(paragraph, { maxLength: 3 }),
  description: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
  sort_order: fc.integer(),
  tests_only: fc.boolean(),
  options_off: fc.boolean(),
  lang: fc.constantFrom('de', 'en', 'pt-BR'),
  desired_retention: fc.option(fc.integer({ min: 80, max: 97 }).map((percent) => percent / 100)),
  cards: fc
    .uniqueArray(
      plainRecord({
        ...eachText(() => inComment),
        key: id,
        aliases: fc.constant([]),
        question: fc.tuple(paragraph, fc.option(body)).map((parts) => parts.filter((part) => part).join('\n\n')),
        answer: body,
        exercise: fc.constant(null),
        draft: fc.boolean(),
      }),
      { selector: ({ key }) => key, maxLength: 8 },
    )
    .map((cards) => cards.map((card, index) => ({ ...card, aliases: index === 0 ? [`${'x'.repeat(60)}-old`] : [] }))),
})

function write(deck: WrittenDeck): string {
  const head = ['slug', 'name', 'description', 'sort_order', 'aliases', 'tests_only', 'lang'] as const
  const cards = deck.cards.map(({ key, aliases, question, answer, draft, ...card }) => {
    const [title, ...more] = question.split('\n')
    const texts = COMMENT_TEXTS.map((name) => `${name}: ${card[name]}`).join('; ')
    return `## ${title}\n<!-- id: ${key}; ${texts}; aliases: [${aliases}]; draft: ${draft} -->\n${more.join('\n')}\n\n### Antwort\n${answer}\n`
  })
  const retention = deck.desired_retention === null ? '' : `desired_retention: ${deck.desired_retention}\n`
  return `---\n${head.map((key) => `${key}: ${JSON.stringify(deck[key])}\n`).join('')}${retention}options: ${deck.options_off ? 'off' : 'on'}\n---\n${cards.join('\n')}`
}

t.test('property: a generated deck is read back unchanged', async (t) => {
  fc.assert(
    fc.property(deck, (source) => {
      const text = write(source)
      const { file, translation, cards = [], ...read } = parse(text).deck ?? {}
      for (const { line, question } of cards) {
        assert.equal(text.split('\n')[line - 1], `## ${question.split('\n')[0]}`)
      }
      assert.deepEqual({ ...read, cards: cards.map(({ line, ...card }) => card) }, source)
    }),
    { numRuns: runs(200) },
  )
  t.pass('every run gives the same result')
})

function assertSound(bytes: Uint8Array): void {
  const { deck, faults } = parseDeck('decks/a.md', bytes)
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/\r\n|\r|\n/).length
  if ((deck === undefined) === (faults.length === 0)) throw new Error('neither a deck nor faults, or both')
  for (const { line, message } of faults) {
    if (!Number.isInteger(line) || line < 1 || line > lines || message === '') throw new Error(`${line} of ${lines}`)
  }
}

const scrap = fc.constantFrom(
  ...[
    '---\n',
    'name: a\n',
    'slug: [',
    '## ',
    '### Antwort\n',
    '<!-- ',
    'id: a; ',
    'level: b ',
    '-->',
    '\n',
    '\r',
    '```\n',
  ],
  ...['- ', '> ', '\t', '    ', ';', 'x', '\ufeff', '\0', '&a *a', '"\\uD800"', '<div>', '[a]: b\n', '===\n', '\u2028'],
)

t.test('property: any input gives a deck or faults with valid lines', async (t) => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), assertSound))
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => assertSound(encode(text))))
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 60 }), fc.boolean(), (parts, hasHead) =>
      assertSound(encode((hasHead ? HEAD : '') + parts.join(''))),
    ),
    { numRuns: runs(300) },
  )
  fc.assert(
    fc.property(deck, fc.nat(), fc.nat(20), scrap, (source, at, length, text) => {
      const whole = write(source)
      const cut = at % whole.length
      assertSound(encode(whole.slice(0, cut) + text + whole.slice(cut + length)))
    }),
    { numRuns: runs(300) },
  )
  t.pass('nothing was thrown')
})

t.test('property: windows of any size give the same sections', async (t) => {
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (parts, window) => {
      const text = `## A\n${parts.join('').replaceAll('\r', '\n')}\n## B\n`
      const whole = [...splitSections(text)].filter((section) => section !== undefined)
      const pieces = [...splitSections(text, window)].filter((section) => section !== undefined)
      if (JSON.stringify(pieces) !== JSON.stringify(whole)) throw new Error(JSON.stringify({ text, pieces, whole }))
    }),
    { numRuns: runs(300) },
  )
  t.pass('every run gives the same result')
})

t.test('reads a large deck, and a card of many paragraphs, in small steps', async (t) => {
  const one = HEAD + card('a', '', 'Ein Absatz.\n\n'.repeat(100_000))
  const many = HEAD + Array.from({ length: 5_000 }, (_, index) => card(`k-${index}`, 'Ein Absatz mehr.')).join('\n')
  for (const text of [one, many]) {
    const steps = parseDeckInSteps('decks/a.md', encode(text))
    let count = 0
    while (!steps.next().done) count++
    t.ok(count > text.length / 2 ** 17, `${count} steps`)
  }
})

t.test('refuses nesting too deep for the parser, because the cards below would be lost', async (t) => {
  for (const mark of ['> ', '- ']) {
    const faults = faultsOf(HEAD + card('a') + card('b', `\n${mark.repeat(50_000)}x\n`) + card('c'))
    t.ok(faults.includes('12: Listen oder Zitate sind zu tief verschachtelt'))
    t.equal(onlyCard(card('a', `\n${mark.repeat(30)}x\n`)).key, 'a')
  }
})

t.test('reads long runs of marks', async (t) => {
  for (const text of ['['.repeat(50_000), '<!--'.repeat(15_000), '*a **a '.repeat(9_000)]) {
    t.equal(onlyCard(card('a', `\n${text}<!-- -->\n\n`)).key, 'a')
  }
})
