import t from 'tap'
import { ankiFileName, formatAnkiLine, formatAnkiText } from '../../src/domain/anki/text-export.js'
import { anyCharacter } from '../support/arbitraries.js'
import fc, { runs } from '../support/property.js'

t.test('converts Markdown by the five rules in their order', async (t) => {
  for (const [markdown, expected] of [
    ['schlicht', 'schlicht'],
    ['```js\nlet a\nlet b\n```', '<pre><code>let a<br>let b<br></code></pre>'],
    ['```\nx```', '<pre><code>x</code></pre>'],
    ['```\n```', '<pre><code></code></pre>'],
    ['a ```\nx\n``` b ```c++\ny\n``` c', 'a <pre><code>x<br></code></pre> b <pre><code>y<br></code></pre> c'],
    ['``` js\nx\n```', ' js<br>x<br>'],
    ['```js x\ny\n```', 'js x<br>y<br>'],
    ['```js\nnie zu', 'js<br>nie zu'],
    ['```inline```', 'inline'],
    ['`a` und ``b``', 'a und b'],
    ['**fett** und **zwei\nZeilen**', '<b>fett</b> und <b>zwei<br>Zeilen</b>'],
    ['****', '****'],
    ['2 ** 3', '2 ** 3'],
    ['**a**b**', '<b>a</b>b**'],
    ['**`a`**', '<b>a</b>'],
    ['```\n**x**\n```', '<pre><code><b>x</b><br></code></pre>'],
    ['a\r\nb\rc\nd', 'a<br>b<br>c<br>d'],
    ['```sh\r\nls\r\n```', '<pre><code>ls<br></code></pre>'],
    ['a\tb', 'a b'],
    ['<b> & "x"', '<b> & "x"'],
    ['$1 $& $$', '$1 $& $$'],
    ['```\n$1 $&\n```', '<pre><code>$1 $&<br></code></pre>'],
  ] as const) {
    t.equal(formatAnkiText(markdown), expected, JSON.stringify(markdown))
  }
})

const markdownLike = fc
  .array(fc.constantFrom('```', '`', '**', '*', '\n', '\r', '\t', 'js', ' ', 'ä', '😀', '<', '$&'), { maxLength: 60 })
  .map((parts) => parts.join(''))

t.test('every line has four columns and no backtick, for any text', async (t) => {
  fc.assert(
    fc.property(markdownLike, markdownLike, (question, answer) => {
      const line = formatAnkiLine({ question, answer, level: 'L' }, 'Deck')
      const columns = line.slice(0, -1).split('\t')
      return (
        line.endsWith('\tsvc-training::Deck\tL\n') &&
        columns.length === 4 &&
        !/[\n\r]/.test(line.slice(0, -1)) &&
        !line.includes('`')
      )
    }),
  )
  t.pass()
})

t.test("property: equals the specification's rules applied one after another", async (t) => {
  const byRegularExpressions = (text: string) =>
    text
      .replace(/\r\n?/g, '\n')
      .replace(/```[^\s`]*\n([\s\S]*?)```/g, '<pre><code>$1</code></pre>')
      .replaceAll('`', '')
      .replace(/\*\*([\s\S]+?)\*\*/g, '<b>$1</b>')
      .replaceAll('\n', '<br>')
      .replaceAll('\t', ' ')
  const parts = fc.constantFrom('*', '**', '***', '`', '```', '```sh\n', '\n', '\r', '\t', 'a', '$1', ' ')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 24 }), (written) => {
      const text = written.join('')
      return formatAnkiText(text) === byRegularExpressions(text)
    }),
    { numRuns: runs(300) },
  )
  t.pass()
})

t.test('keeps text without Markdown', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const plain = text.replace(/[`*\r\n\t]/g, '')
      return formatAnkiText(plain) === plain
    }),
  )
  t.pass()
})

t.test('the file name contains the day', async (t) => {
  t.equal(ankiFileName('2026-11-21'), 'svc_training_anki_2026-11-21.txt')
})
