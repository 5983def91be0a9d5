import t from 'tap'
import { convertHtml } from '../../../src/domain/markup/convert.js'
import { readStyleSheet, stylesIn } from '../../../src/domain/markup/style-sheet.js'

const show = (css: string, html: string, side: 'front' | 'back' = 'front') =>
  convertHtml(html, {
    picture: () => undefined,
    styles: readStyleSheet(css),
    showsHidden: side === 'back',
    maxLength: 1_000,
  }).markdown

t.test('text hidden by a style is hidden on the front and shown on the back', async (t) => {
  const css = '.card { color: red; } .tipp, #extra, i { display: none }'
  const html = 'a<p class="x tipp">b</p><p id="extra">c</p><i>d</i><p class="Tipp">e</p>'
  t.equal(show(css, html), 'a\n\ne')
  t.equal(show(css, html, 'back'), 'a\n\nb\n\nc\n\n_d_\n\ne')
  t.equal(show(css, '<p class=tipp style="display: block">b</p>'), 'b', "the element's own style takes precedence")
  t.equal(show(css, 'a<p style="display: none">b</p>'), 'a')
  t.equal(show(css, 'a<p style="display: none">b</p>', 'back'), 'a\n\nb')
})

t.test('line breaks and emphasis by style', async (t) => {
  const css =
    'span.wort{font-weight:700}.kursiv{font-style:italic}div.bsp { white-space: pre-line; } p { font-weight: bold }'
  t.equal(show(css, '<span class="wort kursiv">a</span> <b class=wort>b</b> <span>c</span>'), '**_a_ b** c')
  t.equal(
    show(css, '<div class=bsp>a\nb</div><p class=bsp>c\nd</p>'),
    'a  \nb\n\nc d',
    'bold on a whole block is ignored',
  )
})

t.test('inline elements styled as blocks start a line', async (t) => {
  const css = '.titel { display: block } td.titel, rt { display: flex }'
  t.equal(show(css, '<span class=titel>Nimm es, wenn</span>du magst'), 'Nimm es, wenn  \ndu magst')
  t.equal(show('.row .x { display: block; font-weight: bold }', 'a<b class=x>b</b>c'), 'a  \n**b**  \nc')
  t.equal(show('', 'a<b style="display: grid">b</b>c'), 'a  \n**b**  \nc')
  t.equal(show(css, 'a<pre>x<span class=titel>y</span>z</pre>'), 'a\n\n```\nx\ny\nz\n```')
  t.equal(show(css, '<ruby>漢<rt class=titel>kan</rt></ruby>'), show('', '<ruby>漢<rt>kan</rt></ruby>'))
  const table = '<table><tr><td class=titel>a</td><td class=titel>b</td></tr></table>'
  t.equal(show(css, table), show('', table))
  t.equal(show('', 'a<span style="display: inline-block">b</span>'), 'ab')
  const menu = '#menu a, .titel b { display: block } span { display: block }'
  t.equal(
    show(menu, 'Siehe <a>hier</a>, der <b>DNS</b>-Server'),
    'Siehe hier, der **DNS**-Server',
    'a style for other elements',
  )
  t.equal(show(menu, 'a<sup><span>2</span></sup>'), 'a²')
})

t.test('more specific rules win', async (t) => {
  const css =
    '#a { font-weight: bold } b.x { font-style: normal } .x { font-weight: normal; font-style: italic } span { font-weight: bold }'
  t.equal(show(css, '<span>a</span> <span class=x>b</span> <span class=x id=a>c</span>'), '**a** _b_ **_c_**')
})

t.test('ignores complex rules', async (t) => {
  for (const css of [
    '@media print { .a { display: none } }',
    '.nightMode .a { display: none }',
    '.a:hover, .a > .b, .a.b { display: none }',
    '/* .a { display: none } */',
    '.b { color: red; .a { display: none } }',
    '@import url(x); @charset "utf-8";',
    '.a { display: none',
    '}}} .a { display: none }',
    '{{{{',
  ]) {
    t.equal(show(css, '<p class=a>x</p>'), css.startsWith('.a { display: none') ? '' : 'x', css)
  }
  t.equal(show('@import "x"; .card .a { display: none }', '<p class=a>x</p>y'), 'y')
})

t.test('finds the style sheets in a template', async (t) => {
  t.equal(stylesIn('a<style>.a {}</style>b<STYLE type="text/css">.b {}</style><style>.c'), '.a {}\n.b {}\n')
})
