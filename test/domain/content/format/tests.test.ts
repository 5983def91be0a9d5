import t from 'tap'
import { parseTest } from '../../../../src/domain/content/format/parse-test.js'
import { writeTest } from '../../../../src/domain/content/format/write-test.js'
import { CHOICES, orderKeys, parseDefinition, type TestDefinition } from '../../../../src/domain/tests/definition.js'
import fc, { runs } from '../../../support/property.js'

const parse = (text: string, file = 'tests/datenschutz.md') => parseTest(file, Buffer.from(text))

const EXAMPLE = `---
name: Datenschutz, Grundlagen
description: Für alle mit Zugang zu personenbezogenen Daten
pass_percent: 80            # default
attempts: 3                 # or unlimited
wait_minutes: 0
time_limit_minutes: 20      # absent: none
shuffle: true
access: open                # or assigned (company.md)
review: explanations        # none | result | explanations
review_when: passed_or_last # now | passed_or_last | closed
opens: 2026-12-01           # optional, days in TIME_ZONE
closes: 2026-12-31
sections:
  - { deck: datenschutz, level: pflicht, draw: 8 }
  - { deck: datenschutz, cards: [datenpanne, auskunft] }
---
Einleitung in Markdown.
`

t.test('reads a test with all keys', async (t) => {
  const { test, slug, faults } = parse(EXAMPLE)
  t.strictSame(faults, [])
  t.strictSame(slug, { file: 'tests/datenschutz.md', line: 1, slug: 'datenschutz' })
  t.strictSame(test, {
    file: 'tests/datenschutz.md',
    slug: 'datenschutz',
    definition: {
      name: 'Datenschutz, Grundlagen',
      description: 'Für alle mit Zugang zu personenbezogenen Daten',
      introduction: 'Einleitung in Markdown.',
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
      opens: '2026-12-01',
      closes: '2026-12-31',
      sections: [
        { deck: 'datenschutz', level: 'pflicht', cards: null, draw: 8 },
        { deck: 'datenschutz', level: null, cards: ['datenpanne', 'auskunft'], draw: null },
      ],
    },
    draft: false,
    line: 14,
    sectionLines: [15, 16],
    translation: {
      lang: 'de',
      translation_of: null,
      file: 'tests/datenschutz.md',
      lines: { lang: 1, translation_of: 1 },
    },
  })
})

t.test('adds missing values, and accepts names that look like numbers', async (t) => {
  const { test, faults } = parse('---\nname: 2026\nattempts: unlimited\nsections: [{ deck: 007, level: 1 }]\n---\n')
  t.strictSame(faults, [])
  t.match(test?.definition, {
    name: '2026',
    attempts: null,
    time_limit_minutes: null,
    pass_percent: 80,
    introduction: '',
    sections: [{ deck: '007', level: '1', cards: null, draw: null }],
  })
  t.equal(parse('---\nname: a\nsections: [{ deck: b }]\n---\n', 'tests/attempts.md').test?.slug, 'attempts-2')
  t.equal(parse('---\nslug: x\nname: a\ndraft: true\nsections: [{ deck: b }]\n---\n').test?.draft, true)
})

t.test('names every fault with its line', async (t) => {
  const head = (...lines: string[]) => `---\n${lines.join('\n')}\n---\nText\n`
  for (const [text, faults] of [
    ['Nur Text\n', ['1: Dem Test fehlt das Front Matter mit „name“ und „sections“']],
    ['---\nname: a\n', ['1: Das Front Matter ist nicht geschlossen: es fehlt eine Zeile ---']],
    [head('name: a'), ['1: „sections“ fehlt: die Abschnitte mit ihren Fragen']],
    [head('sections: [{ deck: a }]'), ['1: „name“ fehlt']],
    [head('name: a', 'sections: []'), ['3: „sections“ muss eine Liste sein, etwa - { deck: datenschutz, draw: 8 }']],
    [head('name: a', 'sections: x'), ['3: „sections“ muss eine Liste sein, etwa - { deck: datenschutz, draw: 8 }']],
    [head('name: a', 'sections: { deck: a }'), ['3: „sections“ muss ein einzelner Wert sein']],
    [
      head('name: a', 'sections:', '  - git', '  - { deck: git }'),
      ['4: Ein Eintrag der Liste hat die Form { schlüssel: wert }'],
    ],
    [
      head('name: a', 'pass: 3', 'sections:', '  - { deck: git, anzahl: 2 }'),
      [
        '3: Unbekannter Schlüssel „pass“ (erlaubt: slug, name, description, pass_percent, multiple, attempts, wait_minutes, time_limit_minutes, shuffle, pages, access, review, review_when, opens, closes, draft, lang, translation_of, sections)',
        '5: Unbekannter Schlüssel „anzahl“ (erlaubt: deck, level, cards, draw)',
      ],
    ],
    [
      head('name: a', 'pass_percent: 0', 'attempts: x', 'shuffle: ja', 'sections:', '  - deck: git', '    draw: 0'),
      [
        '3: „pass_percent“ muss eine ganze Zahl zwischen 1 und 100 sein',
        '4: „attempts“ muss eine ganze Zahl zwischen 1 und 100 sein oder „unlimited“ (unbegrenzt)',
        '5: „shuffle“ muss true oder false sein',
        '8: „draw“ muss eine ganze Zahl zwischen 1 und 500 sein',
      ],
    ],
    [
      head(
        'name: a',
        'opens: 2026-02-29',
        'closes: morgen',
        'sections:',
        '  - { deck: git, cards: x }',
        '  - { draw: 1 }',
      ),
      [
        '3: „opens“ muss ein Tag sein, etwa 2026-12-31',
        '4: „closes“ muss ein Tag sein, etwa 2026-12-31',
        '6: „cards“ muss eine Liste von Karten sein, etwa [datenpanne, auskunft]',
        '7: „deck“ fehlt',
      ],
    ],
    [
      head('name: a', 'sections:', '  - { deck: git, level: a, cards: [b, b] }', '  - { deck: *x }'),
      ['4: „cards“ nennt die Karte „b“ zweimal', '4: Ein Abschnitt hat entweder „level“ oder „cards“, nicht beides'],
    ],
    [
      head('name: a', '[pages]: one', 'sections:', '  - { deck: git,', '      [draw]: 3 }', '  - [git]'),
      [
        '3: Das Front Matter muss aus Zeilen „schlüssel: wert“ bestehen',
        '6: Das Front Matter muss aus Zeilen „schlüssel: wert“ bestehen',
        '7: Ein Eintrag der Liste hat die Form { schlüssel: wert }',
      ],
    ],
    [
      head('name: a', 'review_when: closed', 'sections: [{ deck: a }]'),
      ['3: „review_when“ mit dem Wert closed braucht einen letzten Tag'],
    ],
  ] as const) {
    const found = parse(text).faults.map(({ line, message }) => `${line}: ${message}`)
    t.ok(
      faults.every((fault) => found.includes(fault)),
      `${text}\n${found.join('\n')}`,
    )
    t.equal(parse(text).test, undefined)
  }
})

t.test('YAML aliases that multiply a document cost nothing', async (t) => {
  const lines = Array.from({ length: 30 }, (_, index) => `a${index}: &a${index} [*a${index - 1}, *a${index - 1}]`)
  const { faults } = parse(`---\n${lines.join('\n')}\nname: a\nsections: *a29\n---\n`)
  t.ok(faults.length > 0)
})

const label = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 30 }),
    fc.constantFrom('2026', 'null', 'true', '# a', "a'b", 'a: b', '- x', '{', '„x“'),
  )
  .map((text) =>
    text
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
      .trim(),
  )
  .filter((text) => text !== '')
const slugs = label.filter((slug) => slug !== '.' && slug !== '..')
const prose = fc
  .array(fc.oneof(label, fc.constantFrom('---', '', '# Titel', '```', '- a')), { maxLength: 5 })
  .map((lines) => lines.join('\n').trim())
const choice = (key: keyof typeof CHOICES) => fc.constantFrom(...CHOICES[key])
const definitions = fc.record({
  name: label,
  description: prose,
  introduction: prose,
  pass_percent: fc.integer({ min: 1, max: 100 }),
  multiple: choice('multiple'),
  attempts: fc.option(fc.integer({ min: 1, max: 100 })),
  wait_minutes: fc.integer({ min: 0, max: 525_600 }),
  time_limit_minutes: fc.option(fc.integer({ min: 1, max: 10_080 })),
  shuffle: fc.boolean(),
  pages: choice('pages'),
  access: choice('access'),
  review: choice('review'),
  review_when: choice('review_when'),
  opens: fc.constantFrom(null, '2026-11-30'),
  closes: fc.constantFrom('2026-12-31', '2028-02-29'),
  sections: fc.array(
    fc
      .record({
        deck: label,
        level: fc.option(label),
        cards: fc.option(fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,64}$/), { minLength: 1, maxLength: 4 })),
        draw: fc.option(fc.integer({ min: 1, max: 500 })),
      })
      .map(({ deck, level, cards, draw }) => ({
        deck,
        level: cards === null ? level : null,
        cards,
        draw: cards !== null && draw !== null ? Math.min(draw, cards.length) : draw,
      })),
    { minLength: 1, maxLength: 4 },
  ),
})

t.test('a written test is read back unchanged', async (t) => {
  fc.assert(
    fc.property(definitions, slugs, fc.boolean(), (input, slug, draft) => {
      const faults: string[] = []
      const definition = parseDefinition(input, (_key, message) => faults.push(message)) as TestDefinition
      if (faults.length > 0) throw new Error(faults.join())
      const text = writeTest({ definition, draft }, slug)
      const read = parse(text)
      if (read.faults.length > 0) throw new Error(`${text}\n${JSON.stringify(read.faults)}`)
      const same =
        JSON.stringify(orderKeys(read.test?.definition as TestDefinition)) === JSON.stringify(orderKeys(definition))
      if (!same || read.test?.draft !== draft) throw new Error(text)
    }),
    { numRuns: runs(300) },
  )
  t.pass()
})
