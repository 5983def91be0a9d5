import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import t from 'tap'
import { splitSource } from '../../../web/src/markdown/split-source.js'
import fc from '../../support/property.js'

const toHtml = (source: string) => micromark(source, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
const withoutSpace = (html: string) => html.replaceAll(/\s+/g, '')

const block = fc.constantFrom(
  '# Eins\n',
  '## Zwei\n\n',
  'Ein Absatz mit `code` und\nnoch einer Zeile.\n\n',
  '```bash\n# kein Titel\n\n## auch nicht\n```\n\n',
  '~~~\n```\n# drin\n~~~\n',
  '````md\n```\n# drin\n```\n````\n\n',
  '- eins\n- zwei\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '> # zitiert\n\n',
  'Siehe [dort].\n\n',
  '\n',
)

t.test('pieces joined are the source and render the same', async (t) => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 30 }), (blocks) => {
      const source = blocks.join('')
      const pieces = splitSource(source)
      return pieces.join('') === source && withoutSpace(pieces.map(toHtml).join('')) === withoutSpace(toHtml(source))
    }),
  )
  t.pass()
})

t.test('each piece begins with a heading that is not in code', async (t) => {
  const source = 'Vorweg\n# A\nText\n```\n# kein Titel\n```\n## B\n'
  t.strictSame(splitSource(source), ['Vorweg\n', '# A\nText\n```\n# kein Titel\n```\n', '## B\n'])
})

t.test('link definitions are known in every piece', async (t) => {
  const [first = ''] = splitSource('# A\n[dort]\n# B\n\n[dort]: https://example.com\n')
  t.match(toHtml(first), '<a href="https://example.com">dort</a>')
})

t.test('link definitions never become visible text', async (t) => {
  const withoutEnd = '# A\n\n[dort]: https://example.com\n\n# B\n\n[dort]\n\n```\ncode\n'
  const sentence = '# A\n\n[Hinweis]: Das ist wichtig\n\n# B\n'
  for (const source of [withoutEnd, sentence]) {
    t.equal(withoutSpace(splitSource(source).map(toHtml).join('')), withoutSpace(toHtml(source)))
  }
})

t.test('cuts long text without headings at blank lines', async (t) => {
  const source = 'Ein Absatz, der nicht kurz ist.\n\n'.repeat(1_000)
  const pieces = splitSource(source, 1_000)
  t.equal(pieces.join(''), source)
  t.ok(Math.max(...pieces.map(({ length }) => length)) < 1_100)
})

t.test('splits thousands of pieces and definitions', async (t) => {
  const source = '# [a]\n\n[a]: b\n\n'.repeat(10_000)
  t.equal(splitSource(source).join('').length, source.length)
})
