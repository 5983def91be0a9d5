import MarkdownIt from 'markdown-it'
import t from 'tap'
import { toFieldHtml } from '../../../src/domain/anki/write/card-html.js'
import { convertHtml } from '../../../src/domain/markup/convert.js'
import fc, { runs } from '../../support/property.js'

const NO_PICTURES = { stored: new Set<string>(), shown: new Map<string, string>() }
const OPTIONS = { picture: () => undefined, maxLength: 65_536 }

const there = (text: string) => toFieldHtml(text, NO_PICTURES)
const back = (html: string) => convertHtml(html, OPTIONS).markdown

const markdown = new MarkdownIt('commonmark', { html: false }).enable('table')

/**
 * Returns the visible text, with the alternative texts of pictures. White space is removed, because the conversion of
 * emphasis moves spaces.
 */
function wordsOf(text: string): string {
  return markdown
    .render(text)
    .replaceAll(/<img [^>]*alt="([^"]*)"[^>]*>/g, '$1')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, '')
}

const pieces = fc.constantFrom(
  ...['# a', '## b', '```', '```sh', 'ls -l', '~~~', '<!--', '<div>', '<b>x</b>', '---', '===', '- x', '  - y', '1. z'],
  ...[
    '> q',
    '    code',
    '',
    'Text',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    '\\',
    '**fett**',
    '_k_',
    '`c`',
    '*',
    '_',
    '`',
  ],
  ...[
    '[l](https://a.b/c)',
    '![b](https://a.b/c.png)',
    '&amp;',
    '{{Frage}}',
    '_**x**_ y',
    '***z*** w',
    'a  ',
    '$x$',
    '\\(x\\)',
  ],
)
const text = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'grapheme-ascii', maxLength: 8 })), { minLength: 1, maxLength: 6 })
  .map((lines) => lines.join('\n').replaceAll(/[\0\r]/g, ''))

const ways = (first: string) => ({ first, html: there(first), second: back(there(first)) })

t.test('an export to Anki and back keeps the words', async (t) => {
  const property = fc.property(text.map(ways), ({ first, second }) => wordsOf(second) === wordsOf(first))
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(300) }))
})

t.test('further round trips change nothing', async (t) => {
  const property = fc.property(text.map(ways), ({ second }) => second.trim() === '' || back(there(second)) === second)
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(300) }))
})

t.test('keeps non-ASCII addresses and short rows', async (t) => {
  for (const text of ['[您](https://a.b/wiki/您_ü?q=ä&amp;b=%20)', '[x](https://bücher.de/)'])
    t.equal(back(there(text)), text)
  const table = back('<table><tr><td>a<td>b<tr><td>c</table>')
  t.equal(back(there(table)), table)
})
