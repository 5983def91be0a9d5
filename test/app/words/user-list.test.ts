import assert from 'node:assert/strict'
import t from 'tap'
import { readCsvInSteps } from '../../../src/domain/accounts/user-csv.js'
import { runSteps } from '../../../src/domain/run-steps.js'
import { sentenceOfRow } from '../../../web/src/pages/verwaltung/benutzer/row-faults.js'
import { splitList, textOf } from '../../../web/src/pages/verwaltung/benutzer/user-list.js'
import fc, { runs } from '../../support/property.js'

const readCsvRows = (bytes: Uint8Array) => runSteps(readCsvInSteps(bytes))
const bytesOf = (bytes: readonly number[]) => Uint8Array.from(bytes)

t.test('property: reads the text of a file exactly when the service does', async () => {
  const byte = fc.oneof(
    fc.constantFrom(0x41, 0x3b, 0x0a, 0xc3, 0xa4, 0xe4, 0xfc, 0xd7, 0x80),
    fc.integer({ min: 0, max: 255 }),
  )
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
      const file = bytesOf([...Buffer.from('username\n'), ...bytes])
      const { faults } = readCsvRows(file)
      const isRefused = faults.some(({ message }) => message.includes('nicht in UTF-8'))
      assert.equal(textOf(file) === undefined, isRefused, Buffer.from(bytes).toString('hex'))
    }),
    { numRuns: runs(300) },
  )
})

t.test('property: a corrected line is the record that the service reads there', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ';', '\n', ' '), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (cells, lineEnd) => {
      const quoted = cells.map((text) => `"${text.replaceAll('"', '""').replaceAll('\n', lineEnd)}"`)
      const text = ['username', ...quoted].join(lineEnd)
      const { rows } = readCsvRows(Buffer.from(text))
      const { parts, indexOf } = splitList(
        text,
        rows.map(({ line }) => line),
      )
      assert.equal(parts.join('\n'), text.replaceAll('\r\n', '\n'))
      for (const { line, username } of rows) {
        const part = parts[indexOf.get(line) ?? -1] ?? ''
        const names = readCsvRows(Buffer.from(`username\n${part}`)).rows.map((row) => row.username)
        assert.deepEqual(names, [username])
      }
    }),
  )
})

t.test('an unclosed quotation mark does not affect other lines', async (t) => {
  t.strictSame(splitList('name\n"a\nb\nc', [2]).parts, ['name', '"a', 'b', 'c'])
  t.strictSame(splitList('name\n"a\nb"\nc', [2, 3]).parts, ['name', '"a', 'b"', 'c'])
  t.strictSame([...splitList('a', [7]).indexOf], [])
})

t.test('names the column of a fault in German, once', async (t) => {
  const sentence = (field: string | null, message: string) => sentenceOfRow({ field, code: '', details: null, message })
  t.equal(sentence('mail', 'Diese Spalte ist unbekannt'), 'mail: Diese Spalte ist unbekannt')
  t.equal(sentence('username', 'Der Benutzername fehlt'), 'Der Benutzername fehlt')
  t.equal(sentence('password', 'Zu kurz'), 'Zu kurz', 'whatever the sentence says')
  t.equal(
    sentence('is_admin', 'Das Feld „is_admin“ muss true oder false (ja oder nein) sein'),
    'Das Feld „Administrator“ muss true oder false (ja oder nein) sein',
  )
  t.equal(sentence(null, 'Die Zeile hat 2 statt 4 Felder'), 'Die Zeile hat 2 statt 4 Felder')
})
