import assert from 'node:assert/strict'
import t from 'tap'
import { parseDeck } from '../../../../src/domain/content/format/parse-deck.js'
import fc from '../../../support/property.js'

const parse = (yaml: string, file = 'decks/git.md') => parseDeck(file, new TextEncoder().encode(`---\n${yaml}\n---\n`))
const faultsOf = (yaml: string, file?: string) =>
  parse(yaml, file).faults.map(({ line, message }) => `${line}: ${message}`)

t.test('missing keys have defaults', async (t) => {
  t.same(parse('name: Git').deck, {
    file: 'decks/git.md',
    slug: 'git',
    aliases: [],
    name: 'Git',
    description: '',
    sort_order: 0,
    tests_only: false,
    options_off: false,
    lang: 'de',
    desired_retention: null,
    translation: { lang: 'de', translation_of: null, file: 'decks/git.md', lines: { lang: 1, translation_of: 1 } },
    cards: [],
  })
  t.same(parse('name: Git\ndescription:').deck?.description, '')
})

t.test('keeps texts unchanged', async (t) => {
  t.equal(parse('name: 2024').deck?.name, '2024')
  t.equal(parse('name: true').deck?.name, 'true')
  t.equal(parse('name: 1.10').deck?.name, '1.10')
  t.equal(parse('name: a\nslug: 007').deck?.slug, '007')
  t.equal(parse('name: "a # b"').deck?.name, 'a # b')
})

t.test("sort_order is an integer in PostgreSQL's range", async (t) => {
  for (const value of ['-2147483648', '2147483647', '-0']) {
    t.ok(Object.is(parse(`name: a\nsort_order: ${value}`).deck?.sort_order, Number(value) + 0), value)
  }
  for (const value of [
    '2147483648',
    '-2147483649',
    '1.5',
    '"1"',
    'zehn',
    '',
    'true',
    '.inf',
    '.nan',
    '9'.repeat(400),
  ]) {
    t.same(
      faultsOf(`name: a\nsort_order: ${value}`),
      ['3: „sort_order“ muss eine ganze Zahl zwischen -2147483648 und 2147483647 sein'],
      value,
    )
  }
})

t.test('reports missing, unknown, repeated and malformed values with their lines', async (t) => {
  const pairs = 'Das Front Matter muss aus Zeilen „schlüssel: wert“ bestehen'
  t.same(faultsOf(''), ['1: Im Front Matter fehlt „name“'])
  t.same(faultsOf('# nur ein Kommentar'), ['1: Im Front Matter fehlt „name“'])
  t.same(faultsOf('slug: a\nname:'), ['3: „name“ darf nicht leer sein'])
  t.same(faultsOf('name: "  "'), ['2: „name“ darf nicht leer sein'])
  t.same(faultsOf('- a'), [`2: ${pairs}`])
  t.same(faultsOf('nur Text'), [`2: ${pairs}`])
  t.same(faultsOf('name: a\nfarbe: rot\nname: b'), [
    '3: Unbekannter Schlüssel „farbe“ (erlaubt: slug, name, description, sort_order, aliases, tests_only, options, lang, translation_of, desired_retention)',
    '4: Der Schlüssel „name“ steht mehrfach im Front Matter',
  ])
  t.same(faultsOf('name: [a]\ndescription: {a: b}'), [
    '2: „name“ muss ein einzelner Wert sein',
    '3: „description“ muss ein einzelner Wert sein',
  ])
  for (const name of ['"a\\tb"', '"a\\nb"', '"a\\u2028b"', '|\n  a']) {
    t.same(faultsOf(`name: ${name}`), ['2: „name“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten'])
  }
  for (const key of ['name', 'description']) {
    const text = key === 'name' ? '' : 'name: a\n'
    for (const value of ['"\\0"', '"a\\uD800"']) {
      t.match(
        faultsOf(`${text}${key}: ${value}`).join(),
        `„${key}“ enthält ein Zeichen, das nicht gespeichert werden kann`,
      )
    }
  }
  t.equal(parse('name: "\\uD83D\\uDE00"').deck?.name, '😀')
})

t.test('refuses invalid, too long and unclosed front matter', async (t) => {
  t.same(faultsOf('%name: a\nslug: b')[0], '2: Das Front Matter ist kein gültiges YAML (BAD_DIRECTIVE)')
  t.same(faultsOf('name: a\n...\nslug: b'), ['4: Das Front Matter ist kein gültiges YAML (MULTIPLE_DOCS)'])
  t.same(faultsOf(`name: ${'a'.repeat(70_000)}`), ['1: Das Front Matter ist länger als 65536 Zeichen'])
  t.match(faultsOf('name: "\\UFFFFFFFF"').length, 1)
  const open = parseDeck('decks/a.md', new TextEncoder().encode('---\nname: a\n## F\n'))
  t.match(open.faults, [{ line: 1, message: 'Das Front Matter ist nicht geschlossen: es fehlt eine Zeile ---' }])
})

t.test('names common mistakes in German with their lines', async (t) => {
  const colon = 'Der Wert enthält einen Doppelpunkt und muss deshalb in Anführungszeichen stehen'
  t.same(faultsOf('name: Git: Grundlagen\nslug: b'), [`2: ${colon}`])
  t.same(faultsOf('name: a\ndescription: Merke: das ist wichtig: ja\nslug: b'), [`3: ${colon}`])
  t.same(faultsOf('name: a\nslug: b:'), [`3: ${colon}`])
  t.same(faultsOf('name: a: b\ndescription: c: d'), [`2: ${colon}`, `3: ${colon}`])

  const tab = 'Die Zeile ist mit einem Tabulator eingerückt: erlaubt sind nur Leerzeichen'
  t.same(faultsOf('name: a\n\tslug: b'), [`3: ${tab}`])
  t.same(faultsOf('name: a\n \tslug: b'), [`3: ${tab}`])
  t.same(faultsOf('name:\n\ta'), [`3: ${tab}`])
  t.same(faultsOf('\tname: a\n\tslug: b'), [`2: ${tab}`, `3: ${tab}`])

  const open = (character: string) => `Das Anführungszeichen ${character} wird nicht geschlossen`
  t.same(faultsOf('name: "a\nslug: b'), [`2: ${open('"')}`])
  t.same(faultsOf("name: a\nslug: 'b\ndescription: c"), [`3: ${open("'")}`])
  t.same(faultsOf('name: a\nslug: "b\ndescription: c\nsort_order: "5"'), [`3: ${open('"')}`])
  const after = 'Hinter dem schließenden Anführungszeichen steht noch Text'
  t.same(faultsOf("name: 'Peter's Deck'\nslug: b"), [`2: ${after}`])
  t.same(faultsOf('name: a\nslug: "b" c'), [`3: ${after}`])

  const indentation = 'Die Zeile ist anders eingerückt als die davor: jeder Schlüssel steht am Anfang seiner Zeile'
  t.same(faultsOf('name: a\n  slug: b'), [`3: ${indentation}`])
  t.same(faultsOf('  name: a\nslug: b'), [`3: ${indentation}`])
  t.same(faultsOf('name: a\n slug: b\n  description: c'), [`3: ${indentation}`, `4: ${indentation}`])

  t.same(faultsOf('name: [a\nslug: b'), ['2: Die Klammer [ wird nicht geschlossen'])
  t.same(faultsOf('name: a\nslug: {b: c\ndescription: d'), ['3: Die Klammer { wird nicht geschlossen'])

  for (const value of [
    '@git',
    '`git`',
    '%a',
    '*wichtig*',
    '**fett** so',
    '&Co',
    '& Co',
    '!wichtig',
    '|a',
    '>a',
    ',a',
    '}',
  ]) {
    const message = `Ein Wert, der mit ${value[0]} beginnt, muss in Anführungszeichen stehen`
    t.same(faultsOf(`name: a\ndescription: ${value}\nslug: b`), [`3: ${message}`], value)
  }
  for (const value of ['- a', '? a', '[Git] Grundlagen', ']a']) {
    const message = `Ein Wert, der mit ${value[0]} beginnt, muss in Anführungszeichen stehen`
    t.same(faultsOf(`name: ${value}\nslug: b`), [`2: ${message}`], value)
  }

  t.same(faultsOf('name: a\nslug:b'), ['3: Hinter dem Doppelpunkt fehlt ein Leerzeichen'])
  const pairs = 'Das Front Matter muss aus Zeilen „schlüssel: wert“ bestehen'
  t.same(faultsOf('name: a\nnur Text\nslug: b'), [`3: ${pairs}`])
  t.match(faultsOf('name: "C:\\Windows"\nslug: b'), [/^2: In doppelten Anführungszeichen hat \\ eine besondere/])
})

t.test('every YAML problem has a German message on a line of the front matter', async () => {
  const piece = fc.constantFrom(
    'name',
    ': ',
    ':',
    '\n',
    ' ',
    '\t',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    '- ',
    '*',
    '&',
    '#',
    'a',
    '|',
    '>',
    '@',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const yaml = pieces.join('')
      const lines = yaml.split('\n').length
      for (const { line, message } of parse(yaml).faults) {
        assert.ok(line >= 1 && line <= lines + 2, `${line} of ${JSON.stringify(yaml)}`)
        assert.match(message, /^(Das|Die|Der|Ein|Hinter|In|Im|Unbekannter|„)[^\n]*$/)
      }
    }),
  )
})

t.test('resists YAML bombs', async (t) => {
  const bomb = ['a: &a [x]', ...Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a, *a]`)].join('\n')
  t.ok(faultsOf(bomb).length > 0)
  t.same(faultsOf('name: &a x\ndescription: *a'), ['3: Ein Wert, der mit * beginnt, muss in Anführungszeichen stehen'])
  t.ok(faultsOf(`name: ${'['.repeat(20_000)}`).length > 0)
  t.ok(faultsOf(`name: ${'{a: '.repeat(5_000)}`).length > 0)
})

t.test('refuses slugs that are empty, too long, reserved or contain control characters', async (t) => {
  const astral = '😀'.repeat(200)
  t.equal(parse(`name: a\nslug: ${astral}`).deck?.slug, astral)
  t.equal(parse('name: a\nslug: a/b ä%').deck?.slug, 'a/b ä%')
  t.same(faultsOf(`name: a\nslug: ${astral}x`), ['3: „slug“ darf höchstens 200 Zeichen lang sein'])
  t.same(faultsOf('name: a', `decks/${'x'.repeat(201)}.md`), ['1: „slug“ darf höchstens 200 Zeichen lang sein'])
  t.same(faultsOf('slug:\nname: a'), ['2: „slug“ darf nicht leer sein'])
  t.same(faultsOf('slug: "a\\tb"\nname: a'), [
    '2: „slug“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten',
  ])
  for (const slug of ['all', 'export-anki', '.', '..']) {
    t.same(faultsOf(`name: a\nslug: ${slug}`), [`3: Der Slug „${slug}“ ist reserviert`])
  }
  t.same(faultsOf('name: a', 'decks/all.md'), ['1: Der Slug „all“ ist reserviert'])
  t.equal(parse('name: a\nslug: search').deck?.slug, 'search')
})
