import t from 'tap'
import { parseSheet } from '../../../../src/domain/content/format/parse-sheet.js'
import fc, { runs } from '../../../support/property.js'

const encode = (text: string) => new TextEncoder().encode(text)
const parse = (text: string, file = 'cheatsheets/git/branches.md') => parseSheet(file, encode(text))
const faultsOf = (text: string, file?: string) =>
  parse(text, file).faults.map(({ line, message }) => `${line}: ${message}`)

t.test('front matter takes precedence', async (t) => {
  const { sheet, faults } = parse(
    '---\nslug: zweige\ntitle: "Git: Zweige"\ncategory: Git / Alltag\n---\n\n# Anders\n\n',
  )
  t.same(faults, [])
  t.same(sheet, {
    slug: 'zweige',
    title: 'Git: Zweige',
    category: 'Git / Alltag',
    content_md: '\n# Anders\n\n',
    draft: false,
    translation: {
      lang: 'de',
      translation_of: null,
      file: 'cheatsheets/git/branches.md',
      lines: { lang: 1, translation_of: 1 },
    },
  })
})

t.test('defaults: file name, first # heading, folders', async (t) => {
  const body = '```\n# Zaun\n```\n\nSetext\n===\n\n## Zwei\n\n#\n\n#  Der `Titel` #\n\n# Später\n'
  t.same(parse(`---\n---\n${body}`, 'cheatsheets/a/Übung b/x.y.md').sheet, {
    slug: 'x.y',
    title: 'Der `Titel`',
    category: 'a/Übung b',
    content_md: body,
    draft: false,
    translation: {
      lang: 'de',
      translation_of: null,
      file: 'cheatsheets/a/Übung b/x.y.md',
      lines: { lang: 1, translation_of: 1 },
    },
  })
  t.same(parse(body, 'cheatsheets/x.md').sheet, {
    slug: 'x',
    title: 'Der `Titel`',
    category: 'Allgemein',
    content_md: body,
    draft: false,
    translation: { lang: 'de', translation_of: null, file: 'cheatsheets/x.md', lines: { lang: 1, translation_of: 1 } },
  })
  t.equal(parse('# A', 'cheatsheets/u\u0308.md').sheet?.slug, 'ü', 'composed')
})

t.test('finds the title anywhere in a long sheet', async (t) => {
  const text = 'Ein Satz ohne Titel.\n\n'
  for (const length of [0, 2 ** 13, 2 ** 14 - 5, 2 ** 14, 2 ** 17]) {
    const before = text
      .repeat(Math.ceil(length / text.length))
      .slice(0, length)
      .trimEnd()
    for (const block of ['# Titel\n', '```\n# Zaun\n```\n\n# Titel\n', '- a\n\n  # in der Liste\n\n# Titel']) {
      t.equal(parse(`${before}\n\n${block}`).sheet?.title, 'Titel')
    }
    t.equal(parse(`\`\`\`\n${before}\n# im Zaun, der nicht endet\n${before}`).sheet, undefined)
  }
})

t.test('reports a missing title, reserved slugs and invalid front matter', async (t) => {
  const none = '1: Der Titel fehlt: weder „title“ im Front Matter noch eine Überschrift #'
  t.same(faultsOf('Text'), [none])
  t.same(faultsOf('---\nslug: search\n---\n#\n'), [none, '2: Der Slug „search“ ist reserviert'])
  t.same(faultsOf('# A', 'cheatsheets/search.md'), ['1: Der Slug „search“ ist reserviert'])
  t.same(faultsOf('---\ntitle:\ncategory: ""\nname: x\n---\n# A\n'), [
    '2: „title“ darf nicht leer sein',
    '3: „category“ darf nicht leer sein',
    '4: Unbekannter Schlüssel „name“ (erlaubt: slug, title, category, draft, lang, translation_of)',
  ])
  t.same(faultsOf('\n---\ntitle: A\n---\n'), ['1: Das Front Matter muss in der ersten Zeile beginnen'])
  t.same(faultsOf('---\ntitle: "a\n---\n').length, 1)
})

t.test('property: keeps the body byte for byte', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const body = text.replace(/[\r\0]/g, '')
      const { sheet } = parse(`---\ntitle: A\n---  \n${body}`)
      if (sheet?.content_md !== body) throw new Error(JSON.stringify({ body, sheet }))
    }),
  )
  t.pass('every run gives the same result')
})

t.test('property: any bytes give a sheet or faults with valid lines', async (t) => {
  const scrap = fc.constantFrom(
    '---\n',
    'title: a\n',
    '# ',
    'x',
    '\n',
    '\r',
    '\ufeff',
    '\0',
    '"',
    '[',
    '{',
    '? ',
    '!!',
    '%',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(scrap).map((parts) => encode(parts.join(''))),
    fc.array(scrap).map((parts) => encode(`---\n${parts.join('')}\n---\n# A`)),
  )
  fc.assert(
    fc.property(bytes, (input) => {
      const { sheet, faults } = parseSheet('cheatsheets/a.md', input)
      const lines = Buffer.from(input)
        .toString('latin1')
        .split(/\r\n|\r|\n/).length
      if ((sheet === undefined) === (faults.length === 0)) throw new Error('neither a sheet nor faults, or both')
      for (const { line } of faults) if (!(line >= 1 && line <= lines)) throw new Error(`${line} of ${lines}`)
    }),
    { numRuns: runs(300) },
  )
  t.pass('nothing was thrown')
})
