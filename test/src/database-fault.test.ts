import pg from 'pg'
import t from 'tap'
import { describeDatabaseFault } from '../../src/commands/database-fault.js'

const fromServer = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code })
const withCode = (code: string, message = code) => Object.assign(new Error(message), { code })

t.test("describes each database fault in one German line with the server's message", async (t) => {
  for (const [error, line] of [
    [fromServer('28P01', 'password authentication failed'), /^DATABASE_URL: Benutzer oder Passwort sind falsch: /],
    [
      fromServer('28000', 'no pg_hba.conf entry'),
      /^DATABASE_URL: Der Server lässt diesen Benutzer nicht zu: no pg_hba/,
    ],
    [fromServer('3D000', 'database "x" does not exist'), /^DATABASE_URL: Diese Datenbank gibt es .* nicht: /],
    [fromServer('3F000', 'no schema has been selected'), /^DATABASE_URL: .*kein Schema/],
    [fromServer('42501', 'permission denied for schema'), /^DATABASE_URL: Dem Benutzer fehlt ein Recht/],
    [fromServer('0A000', 'extension "pg_trgm" is not available'), /^DATABASE_URL: .*Erweiterung pg_trgm/],
    [fromServer('25006', 'read-only transaction'), /^DATABASE_URL: In diese Datenbank kann man nicht schreiben/],
    [fromServer('57014', 'canceling statement due to statement timeout'), /abgebrochen, die zu lange dauerte: cancel/],
    [fromServer('40P01', 'deadlock\n  detected'), /noch einmal versuchen: deadlock detected$/],
    [fromServer('53100', 'No space left on device'), /^Der Datenträger der Datenbank ist voll: /],
    [fromServer('53300', 'sorry, too many clients'), /^Die Datenbank ist nicht erreichbar: sorry/],
    [new Error('Query read timeout'), /^Die Datenbank hat .* nicht geantwortet: /],
    [new Error('The server does not support SSL connections'), /^DATABASE_URL: .*keine Verschlüsselung/],
    [new Error('SASL: SCRAM: client password must be a string'), /^DATABASE_URL: .*verlangt ein Passwort/],
    [withCode('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), /^DATABASE_URL: .*\(TLS\) kommt nicht/],
    [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /^DATABASE_URL: .*\(TLS\) kommt nicht/],
    [withCode('ECONNREFUSED', 'connect ECONNREFUSED'), /^Die Datenbank ist nicht erreichbar: connect/],
    [new AggregateError([withCode('ECONNREFUSED', 'a'), withCode('ECONNREFUSED', 'b')]), /nicht erreichbar: a, b$/],
  ] as const) {
    const text = describeDatabaseFault(error)
    t.match(text, line)
    t.notMatch(text, /\n/)
    if (!line.source.includes('erreichbar')) t.notMatch(text, 'nicht erreichbar')
  }
})

t.test('leaves other errors unchanged', async (t) => {
  t.equal(describeDatabaseFault(new Error('bug')), undefined)
  t.equal(describeDatabaseFault(fromServer('42601', 'syntax error')), undefined)
  t.equal(describeDatabaseFault(withCode('EADDRINUSE')), undefined)
})
