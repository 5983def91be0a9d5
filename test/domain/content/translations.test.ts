import t from 'tap'
import { findTranslated, planTranslations, toLanguage } from '../../../src/domain/content/translations.js'

t.test('a language tag names a language and gets its canonical form', async (t) => {
  t.equal(toLanguage('de'), 'de')
  t.equal(toLanguage('en-gb'), 'en-GB')
  t.equal(toLanguage('sr-latn'), 'sr-Latn')
  for (const text of ['', 'xx', 'qaa', 'Deutsch', 'EN', 'de_DE', 'de-', 'a', `de-${'a'.repeat(40)}`, 'de-x']) {
    t.equal(toLanguage(text), undefined, text)
  }
})

const item = (slug: string, lang: string, translation_of: string | null = null) => ({ slug, lang, translation_of })
const row = (id: number, slug: string, lang: string, of: string | null = null) => {
  return { ...item(slug, lang, of), id, source_id: 7, source_key: `key-${slug}`, isLive: true, tests_only: false }
}
const file = (slug: string, id: number | undefined, lang: string, translation_of: string | null = null) => {
  const lines = { lang: 2, translation_of: 3 }
  return { slug, name: slug, id, translation: { lang, translation_of, file: `${slug}.md`, lines }, tests_only: false }
}

t.test('finds the item of a group in a language, from any item of the group', async (t) => {
  const items = [item('a', 'de'), item('b', 'en', 'a'), item('c', 'fr', 'a'), item('d', 'de')]
  t.strictSame(
    [...findTranslated(items, 'en')],
    [
      ['a', 'b'],
      ['b', 'b'],
      ['c', 'b'],
    ],
  )
  t.strictSame([...findTranslated(items, 'de').keys()], ['a', 'b', 'c', 'd'])
})

t.test('a stored variant stays in its group when its original gets another slug', async (t) => {
  const stored = [row(1, 'old', 'de'), row(2, 'b', 'en', 'old')]
  const plan = (...files: ReturnType<typeof file>[]) => planTranslations(files, stored, new Set(), 7)
  const renamed = plan(file('new', 1, 'de'))
  t.strictSame([renamed.faults, renamed.orphans], [[], []])
  t.match(renamed.changes, [{ id: 1, slug: 'new' }])
  t.match(plan(file('new', 1, 'en')).faults, [
    { file: 'new.md', line: 2, message: /in dieser Sprache gibt es schon „b“/ },
  ])
  t.match(plan(file('new', 1, 'de'), file('b', 2, 'en', 'new')).changes, [{ id: 1 }])
})

t.test('a late variant names its original by the key in the source or by its slug', async (t) => {
  for (const name of ['a', 'key-a']) {
    const { changes, faults } = planTranslations([file('b', undefined, 'en', name)], [row(1, 'a', 'de')], new Set(), 7)
    t.strictSame(faults, [])
    t.match(changes, [{ slug: 'b', lang: 'en', translation_of: 'a' }])
  }
})

t.test('variants without a file are archived with their original', async (t) => {
  const stored = [row(1, 'a', 'de'), row(2, 'b', 'en', 'a'), { ...row(3, 'c', 'fr', 'a'), isLive: false }]
  t.strictSame(planTranslations([], stored, new Set([1]), 7), { changes: [], orphans: [2], faults: [] })
  const { faults } = planTranslations([file('b', 2, 'en', 'a')], stored, new Set([1]), 7)
  t.match(faults, [{ file: 'b.md', line: 3, message: /archiviert/ }])
})

t.test('a variant that keeps an edit leaves its group when its original is archived', async (t) => {
  const stored = [row(1, 'a', 'de'), row(2, 'b', 'en', 'a')]
  const kept = { ...file('b', 2, 'en', 'a'), translation: undefined }
  t.strictSame(planTranslations([kept], stored, new Set([1]), 7), {
    changes: [{ id: 2, slug: 'b', lang: 'en', translation_of: null, joins: false, isFromFile: false }],
    orphans: [],
    faults: [],
  })
})

t.test('an original does not become a variant while a variant of it keeps its group', async (t) => {
  const stored = [row(1, 'a', 'de'), row(2, 'b', 'en', 'a'), row(3, 'c', 'fr')]
  const kept = { ...file('b', 2, 'en', 'a'), translation: undefined }
  const { faults } = planTranslations([file('a', 1, 'de', 'c'), kept, file('c', 3, 'fr')], stored, new Set(), 7)
  t.match(faults, [{ file: 'a.md', line: 3, message: /„b“ ist schon eine Variante hiervon/ }])
})

t.test('only an item with another original joins a group', async (t) => {
  const stored = [row(1, 'a', 'de'), row(2, 'b', 'en', 'a'), row(3, 'c', 'fr')]
  const { changes } = planTranslations(
    [file('b', 2, 'nl', 'a'), file('c', 3, 'fr', 'a'), file('d', undefined, 'es', 'a')],
    stored,
    new Set(),
    7,
  )
  t.match(changes, [
    { slug: 'b', joins: false },
    { slug: 'c', joins: true },
    { slug: 'd', joins: true },
  ])
})
