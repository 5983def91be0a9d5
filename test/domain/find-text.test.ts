import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { createFinder, foldCase } from '../../src/domain/text/find-text.js'
import fc from '../support/property.js'

/** Returns all offsets. */
const findAll = (find: string, text: string, ignoresCase = true) => [...createFinder(find, ignoresCase)(text)]

t.test('finds all occurrences, also overlapping ones', async (t) => {
  t.strictSame(findAll('aba', 'ababa aba', false), [0, 2, 6])
  t.strictSame(findAll('a', '', false), [])
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b') }),
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }),
      (text, find) => {
        const expected = [...text].flatMap((_, at) => (text.startsWith(find, at) ? [at] : []))
        return isDeepStrictEqual(findAll(find, text, false), expected)
      },
    ),
  )
})

t.test('never splits a surrogate pair', async (t) => {
  t.strictSame(findAll('\ud83d', '😀 \ud83d', false), [3])
  t.strictSame(findAll('\ude00', '😀 \ude00'), [3])
  t.strictSame(findAll('😀', 'Ä😀'), [1])
})

t.test('returns offsets of the given text if case variants have another length', async (t) => {
  t.strictSame(findAll('ß', 'SS ß ẞ'), [3, 5])
  t.strictSame(findAll('x', 'İ X ﬁ ŉ X'), [2, 8])
  t.strictSame(findAll('𐐨', '𐐀𐐨'), [0, 2])
})

t.test('takes linear time', async (t) => {
  // Any algorithm with a product of both lengths would take minutes.
  const text = 'a'.repeat(1_000_000)
  const half = 'a'.repeat(100_000)
  for (const find of [`${half}${half}b`, `b${half}${half}`, `${half}b${half}`]) {
    t.strictSame(findAll(find, text), [])
  }
  t.equal(findAll(half, text).length, 900_001)
})

t.test('folds as regular expressions do', async (t) => {
  // Case variants that only Unicode's complete folding relates
  const exceptions = new Set('ΐΰﬅﬆ\u1fd3\u1fe3')
  const classes = new Map<number, string>()
  let changed = 0
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point)
    const folded = foldCase(point)
    if (!/[\p{CWCF}\p{CWU}\p{CWL}]/u.test(character)) changed += Number(folded !== point)
    else if (!exceptions.has(character)) classes.set(folded, (classes.get(folded) ?? '') + character)
  }
  const all = [...classes.values()].join('')
  t.equal(changed, 0, 'characters without case')
  t.ok(classes.size > 1_000)
  for (const variants of classes.values()) {
    for (const character of variants) {
      const found = all.match(new RegExp(`\\u{${character.codePointAt(0)?.toString(16)}}`, 'giu'))
      if (found?.join('') !== variants) t.fail(`${character}: ${found?.join('')} instead of ${variants}`)
    }
  }
})
