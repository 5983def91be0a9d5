import t from 'tap'
import { createReplacer, replaceInCard } from '../../../src/domain/content/editing/replace.js'
import fc from '../../support/property.js'

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
    question: 'alt?',
    answer: 'Alt',
    level: 'alt',
    exercise: { form: 'choice' as const, options, tolerance: null, unit: null },
  }
  t.strictSame(replaceInCard(card, createReplacer({ find: 'alt', with: 'x' })), {
    texts: {
      ...{ question: 'x?', answer: 'x', level: 'alt' },
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

t.test('replaces as `replaceAll` does if case matters', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '$', ' ') })
  fc.assert(
    fc.property(
      text,
      fc.string({ unit: fc.constantFrom('a', '.', '$'), minLength: 1 }),
      text,
      (given, find, target) => {
        const { text: result, hits } = createReplacer({ find, with: target, match_case: true })(given)
        return result === given.split(find).join(target) && hits === given.split(find).length - 1
      },
    ),
  )
})
