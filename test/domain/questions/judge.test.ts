import t from 'tap'
import { isWithin } from '../../../src/domain/questions/decimal.js'
import { parseExercise } from '../../../src/domain/questions/exercise.js'
import { addScores } from '../../../src/domain/questions/fraction.js'
import { type FrozenForm, freezeQuestion } from '../../../src/domain/questions/frozen.js'
import { type Answer, checkAnswer, judge, rightAnswer } from '../../../src/domain/questions/judge.js'
import { isOneEdit, matchesText } from '../../../src/domain/questions/text-answer.js'
import { neighboursOf } from '../../../src/domain/search/words.js'
import fc, { runs } from '../../support/property.js'

const WHOLE = { part: 1, of: 1 }
const NOTHING = { part: 0, of: 1 }

/**
 * Returns a choice question. The option ids begin with `r` for right options and with `w` for wrong options, such as
 * `r0` and `w1`.
 */
function choiceOf(rights: readonly boolean[]): FrozenForm & { form: 'single' | 'multiple' } {
  const options = rights.map((correct, index) => ({
    id: `${correct ? 'r' : 'w'}${index}`,
    text: `Option ${index}`,
    correct,
    feedback: null,
  }))
  return { form: rights.filter(Boolean).length > 1 ? 'multiple' : 'single', options }
}

function counter(): () => string {
  let next = 0
  return () => `id${next++}`
}

const ratio = ({ part, of }: { part: number; of: number }) => part / of

t.test('single choice: all or nothing', async (t) => {
  const question = choiceOf([true, false, false])
  t.strictSame(judge(question, { option_ids: ['r0'] }, 'partial'), WHOLE)
  t.strictSame(judge(question, { option_ids: ['w1'] }, 'partial'), NOTHING)
  t.strictSame(judge(question, { option_ids: [] }, 'partial'), NOTHING)
  t.strictSame(judge(question, null, 'partial'), NOTHING)
})

t.test('multiple choice: 1 − 2h/k, or all or nothing', async (t) => {
  const question = choiceOf([true, true, false, false, false])
  const cases: [string[], number][] = [
    [['r0', 'r1'], 1],
    [['r0'], 3 / 5],
    [['r0', 'r1', 'w2'], 3 / 5],
    [['r0', 'w2'], 1 / 5],
    [['w2', 'w3', 'w4'], 0],
    [['r0', 'r1', 'w2', 'w3', 'w4'], 0],
    // Without a selected option the question counts as unanswered. The formula 1 − 2h/k would give 1/5, with h = 2
    // options that are wrongly marked and k = 5 options.
    [[], 0],
  ]
  for (const [option_ids, score] of cases) {
    t.equal(ratio(judge(question, { option_ids }, 'partial')), score, option_ids.join())
    t.equal(ratio(judge(question, { option_ids }, 'all')), score === 1 ? 1 : 0, option_ids.join())
  }
})

t.test('text: equal spellings, and one typing error', async (t) => {
  const same: [string, string][] = [
    ['DATENSCHUTZ', 'Datenschutz'],
    ['  git   stash ', 'git stash'],
    ['git\u00a0stash', 'git stash'],
    ['Strasse', 'Straße'],
    ['STRASSE', 'straße'],
    ['ẞ', 'ss'],
    ['Aerger', 'Ärger'],
    ['a\u0308rger', 'Ärger'],
    ['Rom.', 'Rom'],
    ['Rom', 'Rom!'],
    ['Rom ?!', 'Rom'],
    ['...', '...'],
    ['Datenschuz', 'Datenschutz'],
    ['Datenschuttz', 'Datenschutz'],
    ['Datenshcutz', 'Datenschutz'],
    ['Dutenschutz', 'Datenschutz'],
    ['Munchen', 'München'],
    ['Mxnchen', 'München'],
    ['die Verschlüsslung', 'die Verschlüsselung'],
    ['stahs', 'stash'],
  ]
  const different: [string, string][] = [
    ['', 'Rom'],
    ['', ''],
    ['Ron', 'Rom'],
    ['Hau', 'Haus'],
    ['uber', 'über'],
    ['Datnschuz', 'Datenschutz'],
    ['Datenschuz Verordung', 'Datenschutz Verordnung'],
    ['Datenschutzgesetz', 'Datenschutz'],
    ['27002', '27001'],
    ['ISO27002', 'ISO27001'],
    ['git stash pop', 'git stash'],
    ['.gitignore', 'gitignore'],
    ['C', 'C#'],
    ['-5', '5'],
  ]
  for (const [typed, accepted] of same) t.ok(matchesText(typed, accepted), `${typed} = ${accepted}`)
  for (const [typed, accepted] of different) t.notOk(matchesText(typed, accepted), `${typed} ≠ ${accepted}`)
})

t.test('property: a typing error is what the search tolerates', async (t) => {
  const word = fc.string({ unit: fc.constantFrom(...'abäß0'), minLength: 5, maxLength: 8 })
  fc.assert(
    fc.property(word, word, (one, other) => {
      return isOneEdit(one, other) === neighboursOf(one).includes(other)
    }),
    { numRuns: runs(300) },
  )
  for (const [index, neighbour] of neighboursOf('stash').entries()) {
    if (!isOneEdit(neighbour, 'stash') || !isOneEdit('stash', neighbour)) t.fail(`${index} ${neighbour}`)
  }
  t.notOk(isOneEdit('stash', 'stash'))
})

t.test('number: comma, point, unit and an exact tolerance', async (t) => {
  const question: FrozenForm = { form: 'number', accepted: [0.7, 1000], tolerance: 0.1, unit: 'MB' }
  for (const text of ['0,7', '0.8', '0,6 MB', '0.6mb', '1000,1', '1 000', '7e-1']) {
    t.strictSame(judge(question, { text }, 'all'), WHOLE, text)
  }
  for (const text of ['0,81', '0.59', '0,7 GB', 'viel', '', '1000,11', '-0,7']) {
    checkAnswer(question, { text })
    t.strictSame(judge(question, { text }, 'all'), NOTHING, text)
  }
  t.throws(() => checkAnswer(question, { text: '1.000 MB' }), {
    kind: 'invalid',
    code: 'ambiguous_number',
    message: '„1.000“ ist mehrdeutig: 1000 oder 1,000?',
  })
  t.ok(0.8 - 0.7 > 0.1 && isWithin(0.8, 0.7, 0.1), 'floating-point arithmetic would refuse 0.8')
  t.ok(isWithin(1e308, 1e308, 0) && !isWithin(5e-324, 0, 0))
})

t.test('property: the tolerance is exact', async () => {
  const cents = fc.integer({ min: -100_000, max: 100_000 })
  fc.assert(
    fc.property(cents, cents, fc.nat(1_000), (one, other, limit) => {
      return isWithin(one / 100, other / 100, limit / 100) === Math.abs(one - other) <= limit
    }),
  )
})

t.test('gaps with choices accept exactly one of their texts', async (t) => {
  const freeze = (answer: string) => {
    const exercise = { form: 'gaps' as const, options: [], tolerance: null, unit: null }
    return freezeQuestion({ question: 'F?', answer, exercise }, counter())
  }
  const gaps = freeze('Die {{Rahmen|[ ] Rähmen|[ ] 10|[ ] 9}} und {{frei}}')
  t.match(gaps, { gaps: [{ accepted: ['Rahmen'], choices: ['9', '10', 'Rahmen', 'Rähmen'] }, { accepted: ['frei'] }] })
  if (gaps.form !== 'gaps') return t.fail('another form')
  t.notOk('choices' in (gaps.gaps[1] ?? {}))
  const [id = '', typed = ''] = gaps.gaps.map((gap) => gap.id)
  t.doesNotThrow(() => checkAnswer(gaps, { gaps: { [id]: '', [typed]: 'egal' } }))
  t.throws(() => checkAnswer(gaps, { gaps: { [id]: 'rahmen' } }), { code: 'unknown_option' })
  t.equal(ratio(judge(gaps, { gaps: { [id]: 'Rahmen' } }, 'all')), 1 / 2)
  t.equal(ratio(judge(gaps, { gaps: { [id]: 'Rähmen' } }, 'all')), 0)
  // The order of the choices does not reveal the right text.
  const swapped = freeze('Die {{10|[ ] Rahmen|[ ] 9|[ ] Rähmen}}')
  t.match(swapped, { gaps: [{ choices: ['9', '10', 'Rahmen', 'Rähmen'] }] })
})

t.test('order and gaps: the share of right places', async (t) => {
  const order: FrozenForm = { form: 'order', items: ['a', 'b', 'c'].map((id) => ({ id, text: id })) }
  t.equal(ratio(judge(order, { item_ids: ['a', 'b', 'c'] }, 'all')), 1)
  t.equal(ratio(judge(order, { item_ids: ['b', 'a', 'c'] }, 'all')), 1 / 3)
  t.equal(ratio(judge(order, { item_ids: ['b', 'c', 'a'] }, 'all')), 0)
  const gaps: FrozenForm = {
    form: 'gaps',
    text: '{{x}} {{constructor}}',
    gaps: [
      { id: 'x', accepted: ['72', 'zweiundsiebzig'] },
      { id: 'constructor', accepted: ['Stunden'] },
    ],
  }
  t.equal(ratio(judge(gaps, { gaps: { x: 'Zweiundsiebzig', constructor: 'stunden' } }, 'all')), 1)
  t.equal(ratio(judge(gaps, { gaps: { x: '72' } }, 'all')), 1 / 2)
  t.equal(ratio(judge(gaps, { gaps: {} }, 'all')), 0)
})

t.test('refuses answers that do not fit the question', async (t) => {
  const single = choiceOf([true, false])
  const order: FrozenForm = { form: 'order', items: ['a', 'b'].map((id) => ({ id, text: id })) }
  const gaps: FrozenForm = { form: 'gaps', text: '{{x}}', gaps: [{ id: 'x', accepted: ['1'] }] }
  const text: FrozenForm = { form: 'text', accepted: ['a'] }
  const cases: [FrozenForm, Answer, string][] = [
    [single, { text: 'r0' }, 'other_form'],
    [single, { option_ids: ['of another attempt'] }, 'unknown_option'],
    [single, { option_ids: ['r0', 'w1'] }, 'one_option_only'],
    [choiceOf([true, true, false]), { option_ids: ['r0', 'r0'] }, 'unknown_option'],
    [text, { option_ids: [] }, 'other_form'],
    [text, { text: 'a\0' }, 'unstorable_answer'],
    [text, { text: '\ud800' }, 'unstorable_answer'],
    [text, { text: 'a'.repeat(65_536) }, 'answer_too_long'],
    [order, { item_ids: ['a'] }, 'incomplete_order'],
    [order, { item_ids: ['a', 'a'] }, 'incomplete_order'],
    [order, { item_ids: ['a', 'b', 'a'] }, 'incomplete_order'],
    [order, { gaps: {} }, 'other_form'],
    [gaps, { gaps: { y: '1' } }, 'unknown_gap'],
    [gaps, { gaps: { x: '\0' } }, 'unstorable_answer'],
    [gaps, { item_ids: [] }, 'other_form'],
  ]
  for (const [question, answer, code] of cases) {
    t.throws(
      () => checkAnswer(question, answer),
      { kind: 'invalid', code },
      `${code} ${JSON.stringify(answer).slice(0, 50)}`,
    )
  }
  // An answer stored for an earlier form of the question gets no points.
  for (const [question, answer] of cases.filter(([, , code]) => code === 'other_form')) {
    t.strictSame(judge(question, answer, 'all'), NOTHING)
  }
})

const anyChoice = fc
  .array(fc.boolean(), { minLength: 2, maxLength: 30 })
  .filter((rights) => rights.includes(true) && rights.includes(false))
const anyRule = fc.constantFrom('partial' as const, 'all' as const)

t.test('property: only the right options score 1, and their order does not matter', async () => {
  fc.assert(
    fc.property(anyChoice, fc.array(fc.nat(29)), fc.nat(), anyRule, (rights, ticks, turn, rule) => {
      const question = choiceOf(rights)
      const chosen = [...new Set(ticks)].flatMap((tick) => question.options[tick]?.id ?? [])
      const answer = { option_ids: question.form === 'single' ? chosen.slice(0, 1) : chosen }
      const score = ratio(judge(question, answer, rule))
      const by = turn % rights.length
      const options = [...question.options.slice(by), ...question.options.slice(0, by)].reverse()
      const turned = { ...question, options }
      const inOtherOrder = { option_ids: answer.option_ids.toReversed() }
      checkAnswer(question, answer)
      const isRight = question.options.every(({ id, correct }) => answer.option_ids.includes(id) === correct)
      return (
        score >= 0 &&
        score <= 1 &&
        (score === 1) === isRight &&
        ratio(judge(turned, inOtherOrder, rule)) === score &&
        (rule === 'partial' || score === 0 || score === 1)
      )
    }),
  )
})

t.test('property: the right answer of every frozen card is accepted and scores 1', async () => {
  const word = fc
    .string({ unit: fc.constantFrom(...'abcäöß19-'), minLength: 1, maxLength: 8 })
    .map((text) => `a${text}`)
  const words = fc.array(word, { minLength: 2, maxLength: 6 })
  // Three digits after the point, as in 1.250, would be ambiguous: the point may separate thousands.
  const number = fc
    .tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.constantFrom(0, 1, 2, 4))
    .map(([value, digits]) => (value / 10 ** digits).toFixed(digits))
  const card = fc.oneof(
    words.map(([first = '', ...rest]) => ({
      answer: 'Erklärung',
      exercise: { options: [{ text: first, correct: true }, ...rest.map((text) => ({ text, correct: false }))] },
    })),
    words.map(([first = '', ...rest]) => ({
      answer: first,
      exercise: { options: rest.map((text) => ({ text, correct: false })) },
    })),
    word.map((answer) => ({ answer, exercise: { form: 'text' } })),
    number.map((value) => ({ answer: `${value} MB`, exercise: { form: 'number', unit: 'MB', tolerance: 0 } })),
    words.map((items) => ({
      answer: items.map((item, index) => `${index + 1}. ${item}`).join('\n'),
      exercise: { form: 'order' },
    })),
    words.map((gaps) => ({ answer: gaps.map((gap) => `Text {{${gap}|x}}`).join(' '), exercise: { form: 'gaps' } })),
  )
  fc.assert(
    fc.property(card, anyRule, ({ answer, exercise: input }, rule) => {
      const faults: string[] = []
      const exercise = parseExercise(input, answer, (message) => faults.push(message))
      if (exercise === null || faults.length > 0) throw new Error(faults.join())
      const question = freezeQuestion({ question: 'F', answer, exercise }, counter())
      const right = rightAnswer(question)
      checkAnswer(question, right)
      return ratio(judge(question, right, rule)) === 1
    }),
  )
})

t.test('freezes cards', async (t) => {
  const freeze = (answer: string, input: object) => {
    const exercise = parseExercise(input, answer, (message) => t.fail(message))
    if (exercise === null) throw new Error('plain')
    return freezeQuestion({ question: 'F', answer, exercise }, counter())
  }
  const wrong = { text: 'b', correct: false, feedback: 'Nein' }
  t.strictSame(freeze('**a**', { options: [wrong] }), {
    form: 'single',
    options: [
      { id: 'id0', text: '**a**', correct: true, feedback: null },
      { id: 'id1', ...wrong },
    ],
    question: 'F',
    explanation: '**a**',
  })
  t.equal(
    freeze('x', { options: [wrong, { text: 'a', correct: true }, { text: 'c', correct: true }] }).form,
    'multiple',
  )
  t.strictSame(freeze('`git  stash`', { form: 'text', options: [{ text: '*push*', correct: true }] }), {
    form: 'text',
    accepted: ['git stash', 'push'],
    question: 'F',
    explanation: '`git  stash`',
  })
  t.match(freeze('**2,5** MB', { form: 'number', unit: 'MB', options: [{ text: '3', correct: true }] }), {
    accepted: [2.5, 3],
    tolerance: 0,
  })
  t.match(freeze('So:\n\n1. eins\n   mehr\n2. zwei\n\n   ```\n   code\n   ```\n\nEnde', { form: 'order' }), {
    items: [
      { id: 'id0', text: 'eins\nmehr' },
      { id: 'id1', text: 'zwei\n\n```\ncode\n```' },
    ],
  })
  t.match(freeze('In {{72|x}} {{|}} {{h}}', { form: 'gaps' }), {
    text: 'In {{id0}} {{|}} {{id1}}',
    gaps: [
      { id: 'id0', accepted: ['72', 'x'] },
      { id: 'id1', accepted: ['h'] },
    ],
  })
})

t.test('scores are added exactly, and the shown percentage agrees with passing', async (t) => {
  const thirds = Array.from({ length: 3 }, () => ({ score: { part: 1, of: 3 }, points: 1 }))
  t.strictSame(addScores(thirds, 34), { percent: 33, passed: false })
  t.strictSame(addScores([...thirds, { score: WHOLE, points: 1 }], 50), { percent: 50, passed: true })
  t.strictSame(addScores([], 0), { percent: 0, passed: false })
  const just = [
    { score: { part: 799, of: 1000 }, points: 1 },
    { score: WHOLE, points: 0 },
  ]
  t.strictSame(addScores(just, 80), { percent: 79, passed: false })
  const score = fc.integer({ min: 1, max: 30 }).chain((of) => fc.nat(of).map((part) => ({ part, of })))
  const scores = fc.array(fc.record({ score, points: fc.integer({ min: 1, max: 5 }) }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 100 }), (list, passPercent) => {
      // A common multiple of all possible denominators, which are at most 30
      const unit = 2_329_089_562_800n
      const part = list.reduce((sum, { score, points }) => {
        return sum + (unit / BigInt(score.of)) * BigInt(score.part * points)
      }, 0n)
      const whole = unit * BigInt(list.reduce((sum, { points }) => sum + points, 0))
      const { percent, passed } = addScores(list, passPercent)
      return passed === part * 100n >= whole * BigInt(passPercent) && BigInt(percent) === (part * 100n) / whole
    }),
  )
})
