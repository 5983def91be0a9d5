import fc from 'fast-check'
import t from 'tap'
import { toFieldHtml } from '../../../src/domain/anki/card-html.js'
import { checksum, joinFields, stripField } from '../../../src/domain/anki/fields.js'
import { guidOf, splitGuid } from '../../../src/domain/anki/guid.js'
import { PackageDecks, withoutRoot } from '../../../src/domain/anki/package-decks.js'
import { learnedCardRow, noteRow, type PackageCard } from '../../../src/domain/anki/package-rows.js'
import { guardCell, unguardCell } from '../../../src/domain/content/table-cells.js'
import { startOfDay } from '../../../src/domain/time/calendar.js'

const created_at = new Date('2026-11-21T08:00:00.123Z')

t.test('a guid is the one that a card came with, or depends on its row alone', async (t) => {
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

t.test('fields as Anki reads them', async (t) => {
  t.equal(joinFields(['a\x1fb', 'c']), 'a b\x1fc')
  t.equal(stripField('<b>a</b> &lt; <img src="x.png" alt="y">&#123;{'), 'a <  x.png {{')
  // sha1("bar") = 62cdb702…
  t.equal(checksum('bar'), 0x62cdb702)
})

t.test('HTML holds no HTML of the text, and nothing that Anki would take for its own', async (t) => {
  const show = (text: string) => toFieldHtml(text, { stored: new Set(), shown: new Map() })
  t.equal(show('**a** <b>'), '<strong>a</strong> &lt;b&gt;')
  t.equal(show('{{Frage}} [sound:a.mp3] [latex]'), '{&#123;Frage}} &#91;sound:a.mp3] &#91;latex]')
  t.equal(show('![Wort](https://example.org/x.png)'), 'Wort')
  t.equal(show('[x](javascript:alert(1))'), '[x](javascript:alert(1))')
  t.match(show('> '.repeat(200).concat('tief')), /^<pre>&gt; .*tief<\/pre>$/s, 'so deep that the parser gives up')
})

t.test('decks have those above them, and names that Anki keeps', async (t) => {
  const decks = new PackageDecks()
  const first = decks.add('A::"B"')
  t.equal(decks.add("a::'b'"), first, 'Anki ignores case')
  decks.add(' ::x\ty')
  t.strictSame(
    decks.list().map(({ name }) => name),
    ['svc-training', 'svc-training::A', "svc-training::A::'B'", 'svc-training::blank', 'svc-training::blank::x y'],
  )
  t.equal(withoutRoot('svc-training::Git::Mehr'), 'Git::Mehr')
  t.equal(withoutRoot('Git'), 'Git')
})

t.test('rows', async (t) => {
  const card: PackageCard = {
    ...{ id: -5, created_at, guid: 'g', ord: 0, level: ' sehr\u3000schwer ', updated_at: created_at },
    ...{ progress: null, is_suspended: false },
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
  // As a script writes it: nothing but the rating and the day.
  const script = { last_rating: 'easy', next_review: '2019-01-01', last_review: null, last_review_at: null } as const
  const progress = { ...script, stability: null, difficulty: null, reps: 0, lapses: 0 }
  t.strictSame(learnedCardRow({ ...card, progress }, 7, 3, 0.9).slice(6), [2, 2, 0, 1, 2500, 0, 0, 0, 0, 0, 0, ''])
})

t.test('a guarded cell is no formula, and comes back to the letter', async (t) => {
  const start = fc.constantFrom('', "'", "''", '=', "'=", '+', '-', '@', '\t', '\r', ' =')
  const property = fc.property(start, fc.string(), (first, rest) => {
    const cell = guardCell(first + rest)
    return !/^[=+\-@\t\r]/.test(cell) && unguardCell(cell) === first + rest
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})

t.test('where a day begins', async (t) => {
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
})
