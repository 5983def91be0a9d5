import t from 'tap'
import { ACTIONS, detailsOf, sentenceOf } from '../../../web/src/pages/verwaltung/audit-words.js'
import { toCsv } from '../../../web/src/words/csv.js'
import { bytes } from '../../../web/src/words/numbers.js'
import { viaWords } from '../../../web/src/words/via.js'
import fc from '../../support/property.js'

const deed = (action: string, details: unknown = null, target: string | null = 'erika') => ({
  action,
  target,
  target_id: 7,
  details,
})

t.test('describes the actions of administrators', async (t) => {
  t.equal(sentenceOf(deed('user.create')), 'Benutzer „erika“ angelegt')
  t.equal(detailsOf(deed('user.create', { is_admin: false, must_change_password: true })), 'muss das Passwort ändern')
  t.equal(
    detailsOf(deed('user.update', { fields: ['display_name', 'is_admin'], is_admin: false })),
    'Anzeigename, Rechte · ist kein Administrator mehr',
  )
  t.equal(
    detailsOf(deed('user.update', { fields: ['is_author'], is_author: true })),
    'Autorenrecht · darf Inhalte schreiben',
  )
  t.equal(
    detailsOf(deed('user.update', { fields: ['disabled_on'], disabled_on: '2026-12-31' })),
    'Deaktivierung · deaktiviert ab Do., 31. Dezember 2026',
  )
  t.equal(
    detailsOf(deed('user.update', { fields: ['disabled_on'], disabled_on: null })),
    'Deaktivierung · nicht mehr deaktiviert',
  )
  t.equal(sentenceOf(deed('editor.add', null, 'Netz')), 'Redaktion der Quelle „Netz“ erweitert')
  t.match(detailsOf(deed('editor.add', { username: 'anna' })), 'anna')
  t.equal(detailsOf(deed('user.sessions', { ended: 3 })), '3 auf einmal')
  t.equal(detailsOf(deed('user.tokens', { ended: 1, id: 4 })), '')
  t.equal(sentenceOf(deed('user.passkeys', { ended: 2 })), 'Passkeys von „erika“ entfernt')
  t.match(
    detailsOf(deed('occurrence.extend', { reason: 'Urlaub', until: '2027-04-19' })),
    /^bis Mo\., 19\. April 2027 · Grund: .?Urlaub/,
  )
  t.match(detailsOf(deed('user.update', { disabled_on: 'bald' })), /^deaktiviert ab .?bald/)
  t.equal(viaWords('session'), '')
  t.equal(viaWords('cli'), 'auf der Kommandozeile')
})

t.test('describes an import by its changes', async (t) => {
  const none = { created: 0, updated: 0, unchanged: 9, archived: 0 }
  const stats = { decks: none, cards: { ...none, created: 1, archived: 2 }, cheatsheets: none, duration_ms: 5 }
  t.equal(detailsOf(deed('content.import', { ...stats, warnings: 1 }, null)), '1 Karte neu, 2 archiviert · 1 Hinweis')
  t.equal(detailsOf(deed('content.import', { ...stats, cards: none, warnings: 0 }, null)), 'nichts geändert')
})

t.test('an unknown action is shown by its code, and unknown details are ignored', async (t) => {
  t.equal(sentenceOf(deed('source.sync', null, null)), 'source.sync 7')
  t.equal(sentenceOf(deed('toString')), 'toString erika')
  const actions = fc.constantFrom(...Object.keys(ACTIONS), 'unknown')
  fc.assert(
    fc.property(actions, fc.jsonValue(), (action, details) => {
      const words = detailsOf(deed(action, details))
      return typeof words === 'string' && !words.includes('undefined') && !words.includes('[object')
    }),
  )
})

t.test('writes a table as a file', async (t) => {
  t.equal(
    toCsv([
      ['Name', 'Passwort'],
      ['a;b', 'sagt "ja"'],
    ]),
    '\ufeffName;Passwort\r\n"a;b";"sagt ""ja"""\r\n',
  )
})

t.test('formats sizes', async (t) => {
  const plain = (value: number) => bytes(value).replace(/\s/g, ' ')
  t.equal(plain(0), '0 Byte')
  t.equal(plain(999), '999 Byte')
  t.equal(plain(1_200), '1,2 kB')
  t.equal(plain(48_300_000), '48 MB')
  t.equal(plain(999_700), '1 MB')
})

t.test('a name that looks like a formula is text in the file', async (t) => {
  const [, row] = toCsv([['Name'], ['=HYPERLINK("https://example.com")', '+1', '-1', '@a', 'a=b']]).split('\r\n')
  t.equal(row, `"'=HYPERLINK(""https://example.com"")";'+1;'-1;'@a;a=b`)
})
