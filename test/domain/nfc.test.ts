import t from 'tap'
import { hasLongRun, toNfc } from '../../src/domain/text/nfc.js'
import { anyCharacter } from '../support/arbitraries.js'
import fc from '../support/property.js'

t.test('normalises text', async (t) => {
  t.equal(toNfc('A\u0308pfel'), 'Äpfel')
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => toNfc(text) === text.normalize('NFC')))
  t.equal(toNfc(`a${'\u0301'.repeat(100)}`), `á${'\u0301'.repeat(99)}`)
})

t.test('keeps text with a long run of combining marks as it is, because normalisation is quadratic', async (t) => {
  const hostile = '\u0301'.repeat(16_000) + '\u0323'.repeat(16_000)
  t.ok(hasLongRun(hostile))
  t.equal(toNfc(hostile), hostile)
  t.equal(toNfc(`A\u0308${hostile}`), `A\u0308${hostile}`)
})
