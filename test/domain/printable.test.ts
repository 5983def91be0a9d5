import assert from 'node:assert/strict'
import t from 'tap'
import { escapeControlCharacters, escapeField } from '../../src/domain/text/printable.js'
import fc from '../support/property.js'

const DANGEROUS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u
const anyText = fc.string({
  unit: fc.constantFrom('a', 'ä', '😀', '\\', '\n', '\t', '\u001b', '\u009b', '\u202e', '\u2028'),
})

t.test('escapes what controls a terminal and keeps other text', async (t) => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(DANGEROUS.test(escapeField(text)), false)
      assert.equal(DANGEROUS.test(escapeControlCharacters(text).replaceAll(/[\t\n]/g, '')), false)
    }),
  )
  t.equal(escapeField('Ä 😀 \\ é'), 'Ä 😀 \\ é')
  t.equal(escapeField('a\u001b[2J\tb\n'), 'a\\u001b[2J\\u0009b\\u000a')
  t.equal(escapeControlCharacters('a\u001b\tb\n'), 'a\\u001b\tb\n')
})
