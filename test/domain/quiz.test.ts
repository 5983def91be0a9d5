import t from 'tap'
import { buildQuestion, parseCount, scorePercent, toInteger } from '../../src/domain/quiz/quiz.js'
import { anyCharacter } from '../support/arbitraries.js'
import fc from '../support/property.js'

const safeInteger = fc.maxSafeInteger()

t.test('the score is exact and rounds half away from zero', async (t) => {
  t.equal(scorePercent(29, 200), 15n)
  t.equal(scorePercent(1, 8), 13n)
  t.equal(scorePercent(-1, 8), -13n)
  t.equal(scorePercent(1, 3), 33n)
  t.equal(scorePercent(5, 0), 0n)
  t.equal(scorePercent(5, -1), 0n)
  t.equal(scorePercent(0, 7), 0n)
  fc.assert(
    fc.property(safeInteger, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (correct, total) => {
      // The score differs from the exact percentage by at most 1/2. A tie is rounded away from zero.
      const score = scorePercent(correct, total)
      const twiceError = 2n * (score * BigInt(total) - BigInt(correct) * 100n)
      const size = BigInt(total)
      return correct >= 0 ? twiceError > -size && twiceError <= size : twiceError >= -size && twiceError < size
    }),
  )
})

t.test('any JSON value becomes an integer or is refused', async (t) => {
  for (const [value, expected] of [
    [7.9, 7],
    [-7.9, -7],
    [-0.5, 0],
    [true, 1],
    [false, 0],
    ['7.9', 7],
    ['12abc', 12],
    ['  -3x', -3],
    ['+4', 4],
    ['abc', 0],
    ['', 0],
    ['1e3', 1],
    ['0x10', 0],
    [null, 0],
    [undefined, 0],
    [[5], 0],
    [{}, 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const) {
    t.ok(Object.is(toInteger(value, 'total'), expected), JSON.stringify(value))
  }
  for (const value of [2 ** 53, -(2 ** 53), 1e300, Number.POSITIVE_INFINITY, '9007199254740992', '9'.repeat(400)]) {
    t.throws(() => toInteger(value, 'total'), { message: 'Das Feld „total“ ist zu groß', kind: 'invalid' })
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      try {
        return Number.isSafeInteger(toInteger(value, 'total'))
      } catch (error) {
        return (error as Error).message === 'Das Feld „total“ ist zu groß'
      }
    }),
  )
})

t.test('any count is clamped to 1…50 or refused', async (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (text) => {
      const number = text === '' ? 10 : Number(text)
      try {
        const count = parseCount(text)
        return Number.isInteger(count) && count >= 1 && count <= 50 && Number.isFinite(number)
      } catch {
        return !Number.isFinite(number)
      }
    }),
  )
  t.equal(parseCount(undefined), 10)
})

t.test('property: any card and pool make an answerable question', async (t) => {
  const answer = fc.string({ unit: anyCharacter, maxLength: 300 })
  fc.assert(
    fc.property(answer, fc.uniqueArray(answer, { maxLength: 12 }), (right, pool) => {
      const card = { card_id: 1, question: 'q', answer: right, deck_name: 'd' }
      const others = pool.filter((candidate) => candidate !== right)
      const { options, correct_index, full_answer } = buildQuestion(card, others)
      const correct = options[correct_index]
      return (
        full_answer === right &&
        options.length === 1 + Math.min(others.length, 3) &&
        correct !== undefined &&
        right.startsWith(correct.replace(/\.\.\.$/, '')) &&
        options.indexOf(correct) === correct_index &&
        options.every((option) => [...option].length <= 123)
      )
    }),
  )
  t.pass()
})
