import t from 'tap'
import { countCharacters, isStorable, shorten } from '../../src/domain/text/text.js'
import { anyCharacter } from '../support/arbitraries.js'
import fc from '../support/property.js'

const anyText = fc.string({ unit: anyCharacter, maxLength: 300 })

t.test('counts code points', async (t) => {
  fc.assert(fc.property(anyText, (text) => countCharacters(text) === [...text].length))
  t.equal(countCharacters('aä😀'), 3)
})

t.test('cuts between characters and only longer texts', async (t) => {
  t.equal(shorten('😀'.repeat(120), 120), '😀'.repeat(120))
  t.equal(shorten('😀'.repeat(121), 120), `${'😀'.repeat(120)}...`)
  t.equal(shorten('', 120), '')
  fc.assert(
    fc.property(anyText, fc.nat(130), (text, limit) => {
      const characters = [...text]
      const expected = characters.length > limit ? `${characters.slice(0, limit).join('')}...` : text
      return shorten(text, limit) === expected
    }),
  )
  t.pass('holds for any text')
})

t.test('NUL and lone surrogates cannot be stored', async (t) => {
  fc.assert(
    fc.property(
      anyText,
      (text) => isStorable(text) === (!text.includes('\0') && Buffer.from(text).toString() === text),
    ),
  )
  t.notOk(isStorable('a\0'))
  t.notOk(isStorable('\udc00'))
  t.ok(isStorable('😀'))
})
