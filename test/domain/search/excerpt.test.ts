import t from 'tap'
import { excerptOf, findRanges, type Hits, type Marked, markTitle } from '../../../src/domain/search/excerpt.js'
import { toPlainText } from '../../../src/domain/search/plain-text.js'
import { wordsOf } from '../../../src/domain/search/words.js'
import { anyCharacter } from '../../support/arbitraries.js'
import fc, { runs } from '../../support/property.js'

const hitsOf = (whole: string[], parts: Record<string, string[]> = {}): Hits => ({
  whole: new Set(whole),
  parts: new Map(Object.entries(parts)),
})
const marked = ({ text, ranges }: Marked) => ranges.map(([start, end]) => text.slice(start, end))

const piece = fc.oneof(
  fc.constantFrom(
    'git',
    'Stash',
    'Übung',
    'U\u0308bung',
    'İstanbul',
    'stashen',
    '\n',
    '\n\n',
    '# ',
    '**',
    '`',
    '```\n',
    '- ',
  ),
  fc.constantFrom(
    '<b>',
    '<!--',
    '](',
    '![',
    '|',
    '&amp;',
    'https://example.org/',
    '😀',
    '\ud83d',
    '\u202e',
    ' ',
    ' ',
    ' ',
  ),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
)
const markdown = fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join(''))
const anyHits = fc
  .record({
    whole: fc.subarray(['git', 'stash', 'übung', 'amp', 'i̇stanbul']),
    parts: fc.constantFrom({}, { stashen: ['ash', 'sta', 'en'] }, { stashen: ['xyz'], übung: ['bun'] }),
  })
  .map(({ whole, parts }) => hitsOf(whole, parts as Record<string, string[]>))

function areSound({ text, ranges }: Marked): boolean {
  let last = -1
  for (const [start, end] of ranges) {
    if (start <= last || end <= start || end > text.length) return false
    if (!text.slice(0, start).isWellFormed() || !text.slice(start, end).isWellFormed()) return false
    last = end - 1
  }
  return text.isWellFormed()
}

t.test('property: ranges lie within the shown text, in order, without overlaps', async () => {
  fc.assert(
    fc.property(markdown, anyHits, (source, hits) => {
      const excerpt = excerptOf(source, hits)
      return areSound(excerpt) && areSound(markTitle(source.toWellFormed(), hits)) && [...excerpt.text].length <= 165
    }),
    { numRuns: runs(300) },
  )
})

t.test('the excerpt contains a visible hit', async () => {
  fc.assert(
    fc.property(markdown, (source) => {
      const hits = hitsOf(['git'])
      return findRanges(toPlainText(source), hits).length === 0 || excerptOf(source, hits).ranges.length > 0
    }),
    { numRuns: runs(300) },
  )
})

t.test('an excerpt is cut between words and marked', async (t) => {
  const filler = 'Ein Satz, der nichts davon sagt. '.repeat(30)
  const excerpt = excerptOf(`${filler}Hier steht **git stash** im Text. ${filler}`, hitsOf(['stash']))
  t.match(excerpt.text, /^… \S.* Hier steht git stash im Text\. .*\S …$/)
  t.ok(excerpt.text.length <= 165 && excerpt.text.length > 130, excerpt.text)
  t.strictSame(marked(excerpt), ['stash'])
  t.strictSame(excerptOf('kurz', hitsOf([])), { text: 'kurz', ranges: [] })
  t.strictSame(excerptOf('', hitsOf(['x'])), { text: '', ranges: [] })
  const long = excerptOf(`${'x'.repeat(10_000)} git`, hitsOf(['git']))
  t.ok(long.text.startsWith('…') && long.text.endsWith('x git') && long.text.length < 165)
})

t.test('marks only the matching part of a word, but another word form as a whole', async (t) => {
  const hits = hitsOf(['befehle'], { terminalbefehl: ['befehl'], befehlszeile: ['befehl', 'fehls'] })
  const { text, ranges } = excerptOf('Befehle im Terminalbefehl, Befehlszeile', hits)
  t.strictSame(marked({ text, ranges }), ['Befehle', 'befehl', 'Befehls'])
})

t.test('converts Markdown to visible text in one line', async (t) => {
  const source = [
    '# Git & Co',
    'Ein **fetter** [Verweis](https://example.org/x) mit `code <b>` und ![Bild](a.png)  ',
    'weiter &lt;hier&gt;<!-- Bemerkung --> <kbd>Strg</kbd>',
    '',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '',
    '```bash\ngit stash pop\n```',
    '',
    '<div>Block</div>',
    '',
    '- eins\n- zwei',
  ].join('\n')
  t.equal(
    toPlainText(source),
    'Git & Co Ein fetter Verweis mit code <b> und Bild weiter <hier> Strg a b 1 2 git stash pop Block eins zwei',
  )
})

t.test('takes the surroundings of the hit from a long text', async (t) => {
  const [before, after] = ['Ein Satz ohne das Wort.\n', 'Danach noch einer.\n'].map((line) => line.repeat(40_000))
  const excerpt = excerptOf(`${before}Die Nadel im Heu.\n${after}`, hitsOf(['nadel']))
  t.strictSame(marked(excerpt), ['Nadel'])
  t.ok(excerpt.text.startsWith('… ') && excerpt.text.endsWith(' …'))
  t.ok(wordsOf(excerpt.text).size > 5)
})
