import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { EMPTY_TEXTS, MARKDOWN_TEXTS } from '../../../src/domain/content/card-texts.js'
import { createReplacer, replaceInSteps } from '../../../src/domain/content/editing/replace.js'
import { InvalidInput } from '../../../src/domain/refusal.js'
import fc, { runs } from '../../support/property.js'

const replace = (text: string, find: string, options: object = {}) =>
  createReplacer({ find, with: 'X', ...options })(text)

t.test('replaces plain text, not patterns', async (t) => {
  t.strictSame(replace('a.b a+b', 'a.b'), { text: 'X a+b', hits: 1 })
  t.strictSame(createReplacer({ find: 'a', with: '$&$1' })('a'), { text: '$&$1', hits: 1 })
  for (const sign of String.raw`\^$.*+?()[]{}|/-`) t.equal(replace(`a${sign}b`, sign).text, 'aXb', sign)
})

t.test('compares in NFC, ignoring case unless told otherwise', async (t) => {
  t.strictSame(replace('Drei A\u0308pfel', 'ÄPFEL'), { text: 'Drei X', hits: 1 })
  t.strictSame(replace('Äpfel äpfel', 'äpfel', { match_case: true }), { text: 'Äpfel X', hits: 1 })
  t.strictSame(replace('A\u0308', 'b'), { text: 'A\u0308', hits: 0 }, 'a text without a hit stays as it is')
})

t.test('finds whole words of any script', async (t) => {
  const whole = { whole_word: true }
  t.strictSame(replace('Rad Fahrrad Räder Rad_1 Rad2 „Rad“', 'rad', whole), {
    text: 'X Fahrrad Räder Rad_1 Rad2 „X“',
    hits: 2,
  })
  t.equal(replace('überÜber', 'über', whole).hits, 0)
  t.equal(replace('день, деньги', 'день', whole).text, 'X, деньги')
  t.equal(replace('C++ und C+', 'C++', whole).text, 'X und C+')
})

t.test('replaces in question, answer and options of a card', async (t) => {
  const options = [
    { text: 'alt', correct: true, feedback: 'alt?' },
    { text: 'neu', correct: false, feedback: null },
  ]
  const card = {
    ...EMPTY_TEXTS,
    question: 'alt?',
    answer: 'Alt',
    level: 'alt',
    exercise: { form: 'choice' as const, options, tolerance: null, unit: null },
  }
  const steps = replaceInSteps(card, createReplacer({ find: 'alt', with: 'x' }))
  for (const text of [...MARKDOWN_TEXTS, 'option 1', 'feedback 1', 'option 2']) t.notOk(steps.next().done, text)
  t.strictSame(steps.next().value, {
    texts: {
      ...card,
      question: 'x?',
      answer: 'x',
      exercise: {
        ...card.exercise,
        options: [
          { text: 'x', correct: true, feedback: 'x?' },
          { text: 'neu', correct: false, feedback: null },
        ],
      },
    },
    hits: 4,
  })
})

t.test('refuses a result that is far too long', async (t) => {
  const swell = createReplacer({ find: 'a', with: 'b'.repeat(10_000) })
  t.equal(swell('a'.repeat(13)).text.length, 130_000, 'validation refuses this text')
  t.throws(
    () => swell('a'.repeat(65_536)),
    new InvalidInput('Nach dem Ersetzen hätte ein Text mehr als 65.536 Zeichen'),
  )
})

/** Replaces by a regular expression, whose time is not linear. */
function replaceByPattern(text: string, find: string, whole: boolean, matchCase: boolean) {
  const escaped = find.normalize('NFC').replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const word = String.raw`[\p{L}\p{M}\p{N}_]`
  const pattern = new RegExp(whole ? `(?<!${word})${escaped}(?!${word})` : escaped, matchCase ? 'gu' : 'giu')
  const given = text.normalize('NFC')
  const hits = given.match(pattern)?.length ?? 0
  return { text: hits === 0 ? text : given.replaceAll(pattern, () => 'X'), hits }
}

t.test('replaces as a regular expression does', async () => {
  // Case variants of other lengths (ß, İ), of three letters (Σ, k, s), outside the basic plane (𐐀), and marks
  const unit = fc.constantFrom(...Array.from('aAäÄßẞsSſkKiIİıσςΣ𐐀𐐨😀1_ .$\u212a\u0308'))
  const text = fc.string({ unit: fc.oneof(fc.constantFrom('a', 'b', ' '), unit), maxLength: 40 })
  const find = fc.string({ unit: fc.oneof(fc.constantFrom('a', 'b'), unit), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(text, find, fc.boolean(), fc.boolean(), (given, wanted, whole_word, match_case) => {
      const result = createReplacer({ find: wanted, with: 'X', whole_word, match_case })(given)
      return isDeepStrictEqual(result, replaceByPattern(given, wanted, whole_word, match_case))
    }),
    { numRuns: runs(1_000) },
  )
})
