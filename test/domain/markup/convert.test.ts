import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import t from 'tap'
import { convertHtml } from '../../../src/domain/markup/convert.js'
import { readStyleSheet } from '../../../src/domain/markup/style-sheet.js'
import fc, { runs } from '../../support/property.js'

const convert = (html: string, maxLength = 65_536) =>
  convertHtml(html, { picture: (src) => (src.endsWith('.png') ? `media/${src}` : undefined), maxLength })
const toMarkdown = (html: string) => convert(html).markdown

t.test('emphasis, code and links', async (t) => {
  t.equal(toMarkdown('a <b>b </b>c <i>d</i> <code>e`f</code>'), 'a **b** c _d_ ``e`f``')
  t.equal(toMarkdown('<span style="font-weight: 700; font-style:italic">x</span>'), '**_x_**')
  t.equal(toMarkdown('<b>a<i>b</b>c</i>d'), '**a**bcd'.replace('**a**b', '**ab**'))
  t.equal(
    toMarkdown('<a href="https://a.de/b_(c)?d=1&amp;e=2">e <b>f</b></a>'),
    '[e **f**](https://a.de/b_%28c%29?d=1&amp;e=2)',
  )
  t.equal(toMarkdown('<a href="mailto:a@b.de">a</a>'), '[a](mailto:a@b.de)')
  for (const href of ['javascript:alert(1)', 'data:text/html,x', '/a', 'ftp://a', ' JavaScript:x', '#a']) {
    t.equal(toMarkdown(`<a href="${href}">a</a>`), 'a', href)
  }
  t.equal(
    toMarkdown('un<i>zu</i>lässig <i>zu</i>lässig <b>un<i>zu</i>lässig</b>'),
    'un*zu*lässig *zu*lässig **un*zu*lässig**',
  )
  // Markdown does not recognise the marks at these places, so the conversion keeps only the text.
  t.equal(toMarkdown('H<i>(2)</i>O <b>(a)</b>b'), 'H(2)O (a)b')
})

t.test('escapes literal text', async (t) => {
  t.equal(
    toMarkdown('1. a<br># b<br>- c<br>&gt; d<br>---<br>+ e'),
    '1\\. a  \n\\# b  \n\\- c  \n\\> d  \n\\---  \n\\+ e',
  )
  t.equal(toMarkdown('&lt;b&gt; a &lt; b &amp;amp; &amp; c'), '&lt;b> a < b &amp;amp; & c')
  t.equal(
    toMarkdown('2 * 3, a*b, snake_case, _x_, `y`, [a](b), ![a](b)'),
    '2 * 3, a\\*b, snake_case, \\_x\\_, \\`y\\`, [a\\](b), \\![a\\](b)',
  )
  t.equal(toMarkdown('\\(x^2\\) \\alpha [$]x[/$]'), '\\\\(x^2\\\\) \\alpha [$]x[/$]')
})

t.test('lines and paragraphs', async (t) => {
  t.equal(toMarkdown('a<br>b<br><br>c'), 'a  \nb\n\nc')
  t.equal(toMarkdown('<div>a</div><div>b</div><div><br></div><p>c<p>d'), 'a  \nb\n\nc\n\nd')
  t.equal(toMarkdown('<h2>a</h2>b<hr>c'), '**a**\n\nb\n\n---\n\nc')
  t.equal(toMarkdown('&nbsp; a &nbsp;\n b'), 'a b')
  t.equal(toMarkdown('<hr>a<hr>b<hr><br>'), 'a\n\n---\n\nb', 'a rule at the edge is dropped')
})

t.test('line breaks and indentation by style or non-breaking spaces', async (t) => {
  t.equal(
    toMarkdown('if a:<br>&nbsp;&nbsp; b<div>&nbsp; &nbsp; - c</div>&nbsp;d'),
    'if a:  \n\u00a0\u00a0\u00a0b  \n\u00a0\u00a0\u00a0\u00a0\\- c  \nd',
  )
  t.equal(toMarkdown('<div style="white-space: pre-line">a\n  b\n\nc</div>d'), 'a  \nb\n\nc  \nd')
  t.equal(
    toMarkdown('<span style="white-space:pre-wrap">a <b>b</b> c\n\td<i style="white-space:normal">\ne</i></span>\nf'),
    'a **b** c  \n\u00a0\u00a0\u00a0\u00a0d _e_ f',
  )
  t.equal(toMarkdown('<div style="white-space: nowrap">a\nb</div>'), 'a b')
})

t.test('lists, quotes, code and tables', async (t) => {
  t.equal(
    toMarkdown('<ul><li>a<ul><li>b</ul><li>c</ul><ol start="3"><li><p>d</p><p>e</p></li></ol>'),
    '- a\n  - b\n- c\n\n3. d\n\n   e',
  )
  t.equal(toMarkdown('<ul><li>a</ul><ul><li>b</ul>'), '- a\n\n+ b')
  t.equal(toMarkdown('<blockquote>a<br>b</blockquote>'), '> a  \n> b')
  t.equal(toMarkdown('<pre><code class="language-js">a &lt; b<br>  c</code></pre>'), '```js\na < b\n  c\n```')
  t.equal(toMarkdown('<pre>```\nx</pre>'), '````\n```\nx\n````')
  t.equal(
    toMarkdown('<table><tr><th>A<th>B<tr><td>1|2<td><code>a|b</code><br>x</table>'),
    '| A | B |\n| --- | --- |\n| 1\\|2 | `a\\|b` x |',
  )
  t.equal(toMarkdown('<table><tr><td>A</td><td>B</td></tr></table>'), '|  |  |\n| --- | --- |\n| A | B |')
  t.equal(toMarkdown('<table><tr><td><ul><li>a</ul></td></tr></table>'), '- a')
})

t.test('lists of Word and Outlook, which are paragraphs', async (t) => {
  const marker = (text: string) =>
    `<![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${text}<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>`
  const item = (list: string, bullet: string, text: string) =>
    `<p class=MsoListParagraphCxSpMiddle style='text-indent:-18.0pt;mso-list:${list}'>${marker(bullet)}${text}<o:p></o:p></p>\n`
  const [one, two, numbers] = ['l0 level1 lfo1', 'l0 level2 lfo1', 'l1 level1 lfo2']
  t.equal(
    toMarkdown(
      [
        '<p class=MsoNormal>Zuerst:</p>',
        item(one, '·', 'Strom <b>abschalten</b>'),
        item(two, 'o', 'am Hauptschalter'),
        item(two, 'o', 'am Verteiler'),
        item(one, '·', 'melden'),
        item(numbers, '3.', 'drei'),
        item(numbers, '4.', 'vier'),
        '<p class=MsoNormal>Ende</p>',
      ].join(''),
    ),
    [
      'Zuerst:',
      '- Strom **abschalten**\n  - am Hauptschalter\n  - am Verteiler\n- melden',
      '3. drei\n4. vier',
      'Ende',
    ].join('\n\n'),
  )
  t.equal(toMarkdown(`<table><tr><td>x<td>${item(one, '·', 'a')}</table>b`), '|  |  |\n| --- | --- |\n| x | • a |\n\nb')
  t.equal(
    toMarkdown(`<p style='mso-list:${one}'>ohne Zeichen<p style='mso-list:${one}'>zwei`),
    '- ohne Zeichen\n- zwei',
  )
  t.equal(toMarkdown(`<ul><li><p style='mso-list:${one}'>a</ul>${item(numbers, 'b)', 'x')}lose`), '- a\n\n1. x\n\nlose')

  const css =
    '<!-- p.MsoListNumber, li.MsoListNumber {mso-style-priority:99; mso-list:l4 level1 lfo9;} p.Ohne {mso-list:none} -->'
  const styled = ['1.', '2.'].map((number) => `<p class=MsoListNumber>${marker(number)}Punkt</p>`).join('\n')
  const styles = readStyleSheet(css)
  t.equal(
    convertHtml(`${styled}<style>${css}</style>`, { picture: () => undefined, styles, maxLength: 9_999 }).markdown,
    '1. Punkt\n2. Punkt',
  )
})

t.test('keeps cells in their columns with any spans', async (t) => {
  t.equal(
    toMarkdown('<table><tr><th>A<th>B<th>C<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5<tr><td colspan=2>6<td>7</table>'),
    '| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |\n| 6 |  | 7 |',
  )
  t.equal(
    toMarkdown('<table><tr><td rowspan="3" colspan="2">a<td>b<tr><td>c<tr><td>d<tr><td>e</table>'),
    '|  |  |  |\n| --- | --- | --- |\n| a |  | b |\n|  |  | c |\n|  |  | d |\n| e |  |  |',
  )
  t.equal(toMarkdown('<table><tr><td colspan=9>a<tr><td colspan=-1>b<tr><td rowspan=x>c</table>'), 'a\n\nb\n\nc')
  const wide = toMarkdown('<table><tr><td>a<td rowspan=9999 colspan=9999>b'.padEnd(40_000, '<tr><td>c<td>d'))
  t.ok(wide.length < 200_000, 'no text grows without limit')
})

t.test('keeps list markers in a cell', async (t) => {
  t.equal(
    toMarkdown('<table><tr><td>x<td><ul><li>a<li>b</ul><tr><td>y<td><ol start=3><li>c<li>d</ol></table>'),
    '|  |  |\n| --- | --- |\n| x | • a • b |\n| y | 3\\. c 4. d |',
  )
})

t.test('ruby, sub and sup', async (t) => {
  t.equal(toMarkdown('<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>'), '漢字(かんじ)')
  t.equal(toMarkdown('H<sub>2</sub>O x<sup>n+1</sup> a<sup>Q!</sup> b<sub></sub>'), 'H₂O xⁿ⁺¹ a^(Q!) b')
})

t.test('pictures and sounds', async (t) => {
  t.equal(toMarkdown('<img src="a.png" alt="[x]">'), '![x](media/a.png)')
  t.equal(toMarkdown('<img src="a.png" alt="ein Paket von TCP/IP">'), '![ein Paket von TCP/IP](media/a.png)')
  const words = 'zeigt auf '.repeat(20).trim()
  t.equal(toMarkdown(`<img src="a.png" alt="${words}">`), `![${words}](media/a.png)`)
  t.match(convert('<img src="b.svg"> [sound:a.mp3]'), {
    markdown: '[Bild: b.svg] [Ton: a.mp3]',
    isBlank: true,
    sounds: 1,
    missing: ['b.svg'],
  })
  t.match(convert('<img src="a.png">'), { isBlank: false, missing: { length: 0 } })
  t.match(convert('[sound:offen <video src="x/v.mp4">alt</video>'), {
    sounds: 1,
    markdown: '[sound:offen [Video: v.mp4]',
  })
  t.equal(toMarkdown('[sound:a.MP4] [sound:b.mp4.ogg]'), '[Video: a.MP4] [Ton: b.mp4.ogg]')
})

t.test('omits invisible content', async (t) => {
  for (const hidden of [
    '<script>a</script>',
    '<style>a{}</style>',
    '<!-- a -->',
    '<div style="display: none">a</div>',
    '<title>a</title>',
  ]) {
    t.match(convert(hidden), { markdown: '', isBlank: true }, hidden)
  }
  t.match(convert('<br><div> &nbsp;</div>'), { markdown: '', isBlank: true })
})

t.test('returns an empty text if it is too long', async (t) => {
  t.match(convert('x'.repeat(101), 100), { isTooLong: true, markdown: '' })
  t.match(convert('x'.repeat(100), 100), { isTooLong: false })
  t.match(convert(`<img src="a.png" alt="${'x'.repeat(90)}">`, 100), { isTooLong: true }, 'with its description')
})

const TAGS =
  'b i code a pre ul ol li table tr td th p div br hr blockquote sub sup ruby rt h2 span script img svg x'.split(' ')
const tag = fc.constantFrom(...TAGS)
const piece = fc.oneof(
  tag.map((name) => `<${name}>`),
  tag.map((name) => `</${name}>`),
  fc.constantFrom(
    '<a href="https://a.de/_x_">',
    '<a href="javascript:alert(1)">',
    '<img src="a.png">',
    '<b style="font-weight:400">',
    '<',
    '</',
    '<!--',
    '-->',
  ),
  fc.constantFrom(
    '&lt;script&gt;',
    '&lt;b&gt;',
    '&amp;lt;',
    '&#60;img src=x&#62;',
    '&lt;!--',
    '&lt;a@b.de&gt;',
    '&lt;https://a.de&gt;',
  ),
  fc.constantFrom(...'* _ ` ~ # - + > ! [ ] ( ) | \\ : = 1. ** __ ~~~ ``` ](x) ]: --- [a]'.split(' ')),
  fc.constantFrom(' ', '\n', 'a', 'ä', '漢', '。', '😀', '\u00a0', '\u3000', '.'),
)
const anyHtml = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

const ALLOWED = new Set('p strong em code pre a br hr ul ol li blockquote table thead tbody tr th td img'.split(' '))

function* walk(node: DefaultTreeAdapterTypes.ParentNode): Generator<DefaultTreeAdapterTypes.Node> {
  for (const child of node.childNodes) {
    yield child
    if ('childNodes' in child) yield* walk(child)
  }
}

/** Renders Markdown with tables to HTML. Raw HTML and all URL schemes stay active. */
const render = (markdown: string) =>
  parseFragment(
    micromark(markdown, {
      extensions: [gfmTable()],
      htmlExtensions: [gfmTableHtml()],
      allowDangerousHtml: true,
      allowDangerousProtocol: true,
    }),
  )

t.test('property: never produces live HTML', async (t) => {
  fc.assert(
    fc.property(anyHtml, (html) => {
      for (const node of walk(render(toMarkdown(html)))) {
        if (node.nodeName === '#comment') return false
        if (!('tagName' in node)) continue
        if (!ALLOWED.has(node.tagName)) return false
        for (const { name, value } of node.attrs) {
          if (!['href', 'src', 'alt', 'start', 'class', 'align'].includes(name)) return false
          if (name === 'href' && !/^(https?:|mailto:)/.test(value)) return false
          if (name === 'src' && !value.startsWith('media/')) return false
        }
      }
      return true
    }),
    { numRuns: runs(80) },
  )
  t.pass('for all texts')
})

/** Returns the text of a document without white space, which the conversion may change. */
const textOf = (root: DefaultTreeAdapterTypes.ParentNode) =>
  [...walk(root)]
    .map((node) => (node.nodeName === '#text' ? (node as DefaultTreeAdapterTypes.TextNode).value : ''))
    .join('')
    .replaceAll(/[\s\u00a0]+/g, '')

t.test('property: the rendered Markdown has the text of the HTML', async (t) => {
  const text = fc
    .array(
      fc.oneof(
        piece.filter((part) => !/^<\/?[a-z!]|^<$|^<\/|-->|^&|sound/.test(part)),
        fc.constantFrom('&lt;', '&gt;', '&amp;', '&lt;i&gt;'),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''))
  const block: fc.Arbitrary<string> = fc.letrec<{ block: string; inline: string }>((tie) => ({
    inline: fc.oneof(
      { depthSize: 'small' },
      text,
      fc
        .tuple(fc.constantFrom('b', 'i', 'code', 'a href="https://a.de"', 'span'), tie('inline'))
        .map(([name, inner]) => `<${name}>${inner}</${name.split(' ')[0]}>`),
      fc.tuple(tie('inline'), tie('inline')).map((parts) => parts.join('')),
    ),
    block: fc.oneof(
      { depthSize: 'small' },
      tie('inline'),
      fc
        .tuple(fc.constantFrom('p', 'div', 'blockquote', 'pre', 'h3'), tie('block'))
        .map(([name, inner]) => `<${name}>${inner}</${name}>`),
      fc
        .tuple(fc.constantFrom('ul', 'ol'), fc.array(tie('block'), { minLength: 1, maxLength: 3 }))
        .map(([name, items]) => `<${name}>${items.map((item) => `<li>${item}</li>`).join('')}</${name}>`),
      fc
        .array(tie('inline'), { minLength: 1, maxLength: 3 })
        .map((cells) => `<table><tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr></table>`),
      fc.tuple(tie('block'), tie('block')).map((parts) => parts.join('<br>')),
    ),
  })).block
  const cells = (second: string) => `<table><tr><td>x</td><td>${second}</td></tr></table>`
  t.match(toMarkdown(cells('<b>&lt;</b><code>ä\\|</code>')), '| x | <ä\\\\\\| |', 'no visible mark is left')
  fc.assert(
    fc.property(block, (html) => {
      return textOf(render(toMarkdown(html))) === textOf(parseFragment(html))
    }),
    { numRuns: runs(80) },
  )
  t.pass('for all texts')
})

/** Counts the array elements and characters that frequently used built-in methods process during `work`. */
function countWork(work: () => void): number {
  let count = 0
  const originals: [object, string, unknown][] = []
  const watch = (prototype: object, name: string, weigh: (self: { length: number }, result: unknown) => number) => {
    const original = Reflect.get(prototype, name) as (...values: unknown[]) => unknown
    originals.push([prototype, name, original])
    Reflect.set(prototype, name, function (this: { length: number }, ...values: unknown[]) {
      const result = original.apply(this, values)
      count += weigh(this, result)
      return result
    })
  }
  const sizeOf = (value: unknown) => (typeof value === 'string' || Array.isArray(value) ? value.length : 1)
  for (const name of ['push', 'pop']) watch(Array.prototype, name, () => 1)
  for (const name of ['slice', 'splice']) watch(Array.prototype, name, (_, result) => 1 + sizeOf(result))
  for (const name of ['map', 'join', 'some', 'every', 'filter', 'findLastIndex', 'findIndex', 'findLast', 'reduce']) {
    watch(Array.prototype, name, ({ length }) => 1 + length)
  }
  for (const name of ['slice', 'trim', 'toLowerCase', 'split', 'replaceAll', 'replace']) {
    watch(String.prototype, name, ({ length }, result) => 1 + (name === 'slice' ? sizeOf(result) : length))
  }
  try {
    work()
  } finally {
    for (const [prototype, name, original] of originals) Reflect.set(prototype, name, original)
  }
  return count
}

const HOSTILE =
  '<p style="mso-list:l0 level1 lfo1">|<p style="mso-list:l0 level9 lfo1">a|<span style="mso-list:Ignore">1.|' +
  '<b>|</i><b>|<div>|<ul><li>|<li>a|<table><td>|<td>a|<tr><td rowspan=9>a|<br>&nbsp;&nbsp;|<p style=white-space:pre>\n a|<tr>|<sub>a|</p>|<p>|<blockquote>|a<br>|<rt>|[sound:|*a_|<b>a</b>|<pre>|`|![|](|&lt;|<!--|<img src=a>|<a href="https://a.de">b|<ul>a|<ul><ul>a|<table>a|<table><ul>|<svg/>|<svg><path/>|<table><td></ul>|<dd>a|<button>'

t.test('takes linear time for any structure', async (t) => {
  for (const piece of HOSTILE.split('|')) {
    const work = (times: number) => countWork(() => convert(piece.repeat(times), 2 ** 30))
    const ratio = work(2_000) / work(1_000)
    t.ok(ratio < 2.2, `${piece}: ${ratio.toFixed(2)}`)
  }
})
