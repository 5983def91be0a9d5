import t from 'tap'
import { guidOf, splitGuid } from '../../../src/domain/anki/guid.js'
import { escapeHtml } from '../../../src/domain/anki/read/filters.js'
import { toFieldHtml } from '../../../src/domain/anki/write/card-html.js'
import { checksum, joinFields, stripField } from '../../../src/domain/anki/write/fields.js'
import { PackageDecks, withoutRootDeck } from '../../../src/domain/anki/write/package-decks.js'
import { learnedCardRow, noteRow, type PackageCard } from '../../../src/domain/anki/write/package-rows.js'
import { convertHtml } from '../../../src/domain/markup/convert.js'
import { guardCell, unguardCell } from '../../../src/domain/table/cells.js'
import { startOfDay } from '../../../src/domain/time/calendar.js'
import fc, { runs } from '../../support/property.js'

const created_at = new Date('2026-11-21T08:00:00.123Z')

t.test('a guid is the imported one or depends on the row alone', async (t) => {
  const own = { id: 1, created_at, guid: null, ord: null }
  t.match(guidOf(own), /^[!-~]{8,10}$/)
  t.not(guidOf(own), guidOf({ ...own, id: 2 }))
  t.not(guidOf(own), guidOf({ ...own, created_at: new Date(1) }))
  const note = fc.record({ guid: fc.string({ minLength: 1 }).filter((guid) => !/ \d+$/.test(guid)), ord: fc.nat(500) })
  const property = fc.property(note, ({ guid, ord }) => {
    const split = splitGuid(guidOf({ id: 1, created_at, guid, ord }))
    return split.guid === guid && split.ord === ord
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('joins, strips and checksums fields as Anki does', async (t) => {
  t.equal(joinFields(['a\x1fb', 'c']), 'a b\x1fc')
  t.equal(stripField('<b>a</b> &lt; <img src="x.png" alt="y">&#123;{'), 'a <  x.png {{')
  // SHA-1 of "bar" begins with 62cdb702.
  t.equal(checksum('bar'), 0x62cdb702)
})

t.test("HTML contains neither the text's HTML nor Anki's own marks", async (t) => {
  const show = (text: string) => toFieldHtml(text, { stored: new Set(), shown: new Map() })
  t.equal(show('**a** <b>'), '<strong>a</strong> &lt;b&gt;')
  t.equal(show('{{Frage}} [sound:a.mp3] [latex]'), '{&#123;Frage}} &#91;sound:a.mp3] &#91;latex]')
  t.equal(show('![Wort](https://example.org/x.png)'), 'Wort')
  t.equal(show('[x](javascript:alert(1))'), '[x](javascript:alert(1))')
  t.match(show('> '.repeat(200).concat('tief')), /^<pre>&gt; .*tief<\/pre>$/s, 'too deep for the parser')
})

t.test('formulas outside code that have both marks stay as Anki renders them', async (t) => {
  const show = (text: string) => toFieldHtml(text, { stored: new Set(), shown: new Map() })
  for (const formula of ['[latex]x_1 + y_2[/latex]', '[$]\\frac{a}{b}[/$]', '[$$]x^2[/$$]', '[LaTeX]a[/LATEX]']) {
    t.equal(show(`a ${formula} b`), `a ${formula} b`)
    t.equal(show(`\`${formula}\``), `<code>&#91;${formula.slice(1)}</code>`)
    t.equal(
      show(`\`\`\`tex\n${formula}\n\`\`\``),
      `<pre><code class="language-tex">&#91;${formula.slice(1)}\n</code></pre>`,
    )
  }
  t.equal(show('[$]a[/$] und [$] b'), '[$]a[/$] und &#91;$] b')
  t.equal(show('[$][/$] [latex] [/$]'), '&#91;$][/$] &#91;latex] [/$]')
  t.equal(show('İİİİ [latex]a[/latex]b'), 'İİİİ [latex]a[/latex]b')
  t.equal(show('[$]{{a}}[/$]'), '[$]{&#123;a}}[/$]', 'entities are text to LaTeX')
  t.equal(show('[latex]a\n\n\\\\ b[/latex]'), '<p>[latex]a</p>\n<p>\\ b[/latex]</p>', 'Anki removes the tags')
  const formula = fc
    .string({ unit: fc.constantFrom(...'ab12_*^{}\\&<>|$()+ '), minLength: 1 })
    .map((text) => `x${text}y`)
  const property = fc.property(formula, fc.constantFrom('latex', '$', '$$'), (text, name) => {
    const html = `a [${name}]${escapeHtml(text.replaceAll(/ +/g, ' '))}[/${name}] b`
    const { markdown } = convertHtml(html, { picture: () => undefined, maxLength: 1_000 })
    return show(markdown).replaceAll('&#123;', '{') === html
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(300) }))
})

t.test('decks have their parents and names that Anki keeps', async (t) => {
  const decks = new PackageDecks()
  decks.add('A::"B"', 'a')
  decks.add(' ::x\ty', 'b')
  t.strictSame(
    decks.list().map(({ name }) => name),
    ['svc-training', 'svc-training::A', "svc-training::A::'B'", 'svc-training::blank', 'svc-training::blank::x y'],
  )
  t.equal(withoutRootDeck('svc-training::Git::Mehr'), 'Git::Mehr')
  t.equal(withoutRootDeck('Git'), 'Git')
})

t.test('decks of the same name stay apart', async (t) => {
  const decks = new PackageDecks()
  const below = decks.add('Git::Mehr', 'git-mehr')
  const ids = [below, decks.add('Git', 'git'), decks.add('git', 'git-2'), decks.add(' GIT', 'git-3')]
  t.equal(new Set(ids).size, 4)
  const names = new Map(decks.list().map(({ id, name }) => [id, name]))
  t.strictSame(
    ids.map((id) => names.get(id)),
    ['svc-training::Git::Mehr', 'svc-training::Git', 'svc-training::git (git-2)', 'svc-training::GIT (git-3)'],
  )
})

t.test('writes the rows of notes and of learned cards', async (t) => {
  const card: PackageCard = {
    id: -5,
    created_at,
    guid: 'g',
    ord: 0,
    level: ' sehr\u3000schwer ',
    updated_at: created_at,
    progress: null,
    is_suspended: false,
  }
  t.strictSame(noteRow(card, 'F', 'A').slice(0, 7), [
    1_599_999_999_995,
    'g',
    1_763_700_000_000,
    1_795_248_000,
    -1,
    ' sehr_schwer ',
    'F\x1fA',
  ])
  t.equal(noteRow({ ...card, level: '' }, 'F', 'A')[5], '')
  // A script has written this state, which has only a rating and a date.
  const script = { last_rating: 'easy', next_review: '2019-01-01', last_review: null, last_review_at: null } as const
  const progress = { ...script, put_off_from: null, stability: null, difficulty: null, reps: 0, lapses: 0 }
  const putOff = { ...progress, last_review: '2026-10-01', next_review: '2026-11-21', put_off_from: '2026-10-04' }
  t.equal(learnedCardRow({ ...card, progress: putOff }, 7, 3, { retention: 0.9 })[9], 3, 'the interval of the review')
  t.strictSame(learnedCardRow({ ...card, progress }, 7, 3, { retention: 0.9 }).slice(6), [
    2,
    2,
    0,
    1,
    2500,
    0,
    0,
    0,
    0,
    0,
    0,
    '{"pos":3}',
  ])
})

t.test('a guarded cell is no formula and is restored exactly', async (t) => {
  const start = fc.constantFrom('', "'", "''", '=', "'=", '+', '-', '@', '\t', '\r', ' =', '＝', "'＋", '－', '＠')
  const property = fc.property(start, fc.string(), (first, rest) => {
    const cell = guardCell(first + rest)
    return !/^[=+\-@\t\r＝＋－＠]/.test(cell) && unguardCell(cell) === first + rest
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(300) }))
})

t.test('a day starts at local midnight, or right after a clock change that skips it', async (t) => {
  for (const [zone, instant, minutesWest] of [
    ['Europe/Berlin', '2019-12-31T23:00:00.000Z', -60],
    ['UTC', '2020-01-01T00:00:00.000Z', 0],
    ['America/New_York', '2020-01-01T05:00:00.000Z', 300],
    ['Asia/Kathmandu', '2019-12-31T18:15:00.000Z', -345],
    ['Pacific/Kiritimati', '2019-12-31T10:00:00.000Z', -840],
  ] as const) {
    const start = startOfDay('2020-01-01', zone)
    t.strictSame([start.instant.toISOString(), start.minutesWest], [instant, minutesWest], zone)
  }
  for (const [day, zone, instant] of [
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-10-30', 'Africa/Cairo', '2026-10-29T22:00:00.000Z'],
    ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2026-04-05', 'Australia/Sydney', '2026-04-04T13:00:00.000Z'],
    ['2026-10-04', 'Australia/Sydney', '2026-10-03T14:00:00.000Z'],
    ['2026-04-05', 'Pacific/Auckland', '2026-04-04T11:00:00.000Z'],
    // Samoa skipped this day.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ] as const) {
    t.equal(startOfDay(day, zone).instant.toISOString(), instant, `${day} in ${zone}`)
  }
})
