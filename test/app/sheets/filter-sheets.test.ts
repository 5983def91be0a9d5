import t from 'tap'
import { filterSheets, groupByCategory, withoutTitle } from '../../../web/src/pages/spickzettel/filter-sheets.js'
import fc from '../../support/property.js'

const SHEETS = [
  { slug: 'git-notfall', title: 'Git-Notfallkarte', category: 'Git' },
  { slug: 'uebersicht', title: 'Übersicht der Ports', category: 'Netzwerke' },
  { slug: 'git-alltag', title: 'Git im Alltag', category: 'Git' },
]
const titles = (text: string, category?: string) => filterSheets(SHEETS, text, category).map(({ title }) => title)

t.test('every word must occur in title or category, in any spelling', async (t) => {
  t.strictSame(titles(''), ['Git im Alltag', 'Git-Notfallkarte', 'Übersicht der Ports'])
  t.strictSame(titles('  NOTFALL git '), ['Git-Notfallkarte'])
  t.strictSame(titles('ubersicht'), ['Übersicht der Ports'])
  t.strictSame(titles('U\u0308bersicht netz'), ['Übersicht der Ports'])
  t.strictSame(titles('git ports'), [])
  t.strictSame(titles('', 'Netzwerke'), ['Übersicht der Ports'])
})

t.test('groups contain every sheet once, by name', async (t) => {
  const sheet = fc.record({ slug: fc.string(), title: fc.string(), category: fc.constantFrom('Ä', 'B', 'a', 'Z') })
  fc.assert(
    fc.property(
      fc.array(sheet),
      (sheets) => groupByCategory(sheets).flatMap((group) => group.sheets).length === sheets.length,
    ),
  )
  t.strictSame(
    groupByCategory(SHEETS).map(({ name }) => name),
    ['Git', 'Netzwerke'],
  )
})

t.test("removes only the sheet's own title", async (t) => {
  t.equal(withoutTitle('# Git im Alltag\n\nText', 'Git im Alltag'), '\nText')
  t.equal(withoutTitle('\n#  git im ALLTAG ##\r\nText', 'Git im Alltag'), 'Text')
  t.equal(withoutTitle('# Anderes\nText', 'Git im Alltag'), '# Anderes\nText')
  t.equal(withoutTitle('## Git im Alltag\nText', 'Git im Alltag'), '## Git im Alltag\nText')
  t.equal(withoutTitle('# Git im Alltag', 'Git im Alltag'), '')
})
