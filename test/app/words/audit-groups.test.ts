import t from 'tap'
import { sentenceOf } from '../../../web/src/pages/verwaltung/audit-words.js'
import { groupEntries, titleOf } from '../../../web/src/pages/verwaltung/protokoll/group-entries.js'
import { isolate, isolateQuoted } from '../../../web/src/words/isolate.js'

let id = 1_000
const entry = (at: string, action = 'user.create', target = 'erika') => ({
  id: id--,
  at,
  actor_id: 1,
  actor: 'admin',
  via: 'session',
  address: '::1',
  action,
  target_id: 7,
  target,
  details: null,
})

t.test('groups the entries of one action in one line', async (t) => {
  const entries = [
    entry('2026-11-24T10:00:00.002Z'),
    ...Array.from({ length: 30 }, () => entry('2026-11-24T10:00:00.001Z')),
    entry('2026-11-24T10:00:00.001Z', 'user.delete'),
    entry('2026-11-24T09:00:00.000Z', 'report.settle'),
    entry('2026-11-24T09:00:00.000Z', 'report.settle'),
  ]
  const groups = groupEntries(entries, true)
  t.strictSame(
    groups.map(({ entries }) => entries.length),
    [1, 30, 1, 2],
  )
  t.strictSame(groups.map(titleOf), [
    '1 Benutzer angelegt',
    '30 Benutzer angelegt',
    '1 Benutzer gelöscht',
    'Meldung erledigt (mindestens 2)',
  ])
  t.strictSame(groupEntries([], false), [])
})

t.test('a name that changes the text direction is isolated', async (t) => {
  t.equal(isolate('Jürgen Größer'), 'Jürgen Größer')
  t.equal(isolate('a\u202eb'), '\u2068a\u202eb\u2069')
  t.equal(isolate('a\u2069\u2029\u202eb'), '\u2068a\u202eb\u2069', 'a name does not end its isolate')
  t.equal(isolate(isolate('\u202eb')), '\u2068\u202eb\u2069')
  t.equal(isolateQuoted('„\u202ea“ und „b“'), '„\u2068\u202ea\u2069“ und „b“')
  t.equal(sentenceOf(entry('', 'user.create', 'a\u202eb')), 'Benutzer „\u2068a\u202eb\u2069“ angelegt')
})
