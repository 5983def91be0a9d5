import MarkdownIt from 'markdown-it'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import t from 'tap'
import { convertHtml } from '../../../src/domain/markup/convert.js'
import fc, { runs } from '../../support/property.js'

const OPTIONS = { picture: () => undefined, maxLength: 65_536 }
const toMarkdown = (html: string) => convertHtml(html, OPTIONS).markdown
const markdown = new MarkdownIt('commonmark', { html: false }).enable('table')

type Node = DefaultTreeAdapterTypes.Node

function visibleText(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  if (['script', 'style', 'template', 'title'].includes(node.nodeName)) return ''
  if ('attrs' in node && node.attrs.some(({ value }) => value.startsWith('display:none'))) return ''
  return 'childNodes' in node ? node.childNodes.map(visibleText).join('') : ''
}

/** Returns the words of a text, such as `Q1Q`. Because of the `Q`, `sup` and `sub` do not convert the digits. */
const wordsOf = (text: string) => text.match(/Q\d+Q/g) ?? []
const wordsOfHtml = (html: string) => wordsOf(visibleText(parse(`<!doctype html><body>${html}`)))
const wordsOfMarkdown = (html: string) => wordsOfHtml(markdown.render(toMarkdown(html)))

const LISTS = ['ul', 'ol', 'li', 'dl', 'dt', 'dd']
const TABLES = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'caption', 'colgroup']
const BLOCKS = ['p', 'div', 'blockquote', 'pre', 'h2', 'section', 'details', 'summary', 'center', 'figure', 'fieldset']
const INLINE = ['b', 'i', 'span', 'code', 'u', 'sup', 'sub', 'ruby', 'rt', 'a href="https://a.de"', 'label', 'button']
const SPECIAL = ['div style="display:none"', 'span style="display:block"', 'style', 'textarea']
const ANY = fc.constantFrom(...LISTS, ...LISTS, ...TABLES, ...TABLES, ...BLOCKS, ...INLINE, ...SPECIAL)

interface Tree {
  name: string
  children: (Tree | string)[]
}

const TEXT = 'text'
const tree = fc.letrec<{ tree: Tree; child: Tree | string }>((tie) => ({
  tree: fc.record({ name: ANY, children: fc.array(tie('child'), { maxLength: 4 }) }),
  child: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(TEXT, TEXT, '<br>', '<hr>', ' '),
    tie('tree'),
  ),
})).tree
const document = fc.array(tree, { minLength: 1, maxLength: 3 })

/** Serialises trees to HTML and replaces each text with a unique word. */
function write(trees: readonly (Tree | string)[]): string {
  let count = 0
  const visit = (node: Tree | string): string => {
    if (node === TEXT) return `Q${count++}Q `
    if (typeof node === 'string') return node
    return `<${node.name}>${node.children.map(visit).join('')}</${node.name.split(' ')[0]}>`
  }
  return trees.map(visit).join('')
}

t.test('property: keeps every word of every visible element in order, however elements are nested', async (t) => {
  const property = fc.property(document.map(write), (html) => {
    const [found, expected] = [wordsOfMarkdown(html), wordsOfHtml(html)]
    // The order is not compared in two cases. The conversion writes a caption before its table, wherever the caption is
    // in the HTML. In code, the conversion keeps the order of the HTML, although the browser's parser moves text out of
    // tables.
    if (/<caption|<pre/.test(html)) for (const words of [found, expected]) words.sort()
    if (found.join(' ') !== expected.join(' '))
      throw new Error(`${toMarkdown(html)}: [${found}] instead of [${expected}]`)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(300) }))
})

t.test('puts stray text of lists and tables where browsers show it', async (t) => {
  t.equal(toMarkdown('<ul><li>A</li><ul><li>B</li></ul><li>C</li></ul>'), '- A\n  - B\n- C')
  t.equal(toMarkdown('<ol>A<li>B</li>C<li>D</li></ol>'), 'A\n\n1. B\n\n   C\n2. D')
  t.equal(toMarkdown('<ul><ul><li>A</li></ul></ul>'), '- A')
  t.equal(toMarkdown('<ul><pre>A</pre><li>B<li>C</li><hr></ul>'), '```\nA\n```\n\n- B\n- C\n\n  ---')
  t.equal(toMarkdown('<table>A<tr>B<td>C<ul><li>D</ul><td>E</table>'), 'AB\n\n|  |  |\n| --- | --- |\n| C • D | E |')
  t.equal(toMarkdown('<table><tr><td>A</div></ul><td>B</td></tr></table>C'), '|  |  |\n| --- | --- |\n| A | B |\n\nC')
})

t.test('keeps text after nested drawings and ruby with several paragraphs', async (t) => {
  t.equal(toMarkdown(`<svg>${'<path/>'.repeat(200)}</svg>A`), '[Bild: Zeichnung]A')
  t.equal(toMarkdown('<svg/>A<math><mspace/></math>B'), '[Bild: Zeichnung]AB')
  t.equal(toMarkdown(`<div style="display:none">${'<b>'.repeat(200)}</div>A`), 'A')
  t.equal(toMarkdown('<ruby><rt><p>A</p>B</rt></ruby>'), '(\n\nA\n\nB)')
  t.equal(toMarkdown('<pre><rt><pre></pre>A</rt></pre>'), 'A')
  t.equal(toMarkdown(`${'<i>'.repeat(100)}<ul><li>A</li><li>B</li></ul>C`), '_A_  \n_B_  \n_C_')
})

t.test('reports a document without text as blank', async (t) => {
  for (const html of ['<ul></ul>', '<table><tr><td></table>', '<ul><ul> </ul></ul>', '<pre> \n</pre>', '<hr>']) {
    t.match(convertHtml(html, OPTIONS), { markdown: '', isBlank: true }, html)
  }
})
