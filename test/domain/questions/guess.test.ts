import t from 'tap'
import { addScores } from '../../../src/domain/questions/fraction.js'
import type { FrozenForm } from '../../../src/domain/questions/frozen.js'
import { chanceOfPassing, countDraws, type DrawnSection, type PassRules } from '../../../src/domain/questions/guess.js'
import { type Answer, judge, type MultipleRule } from '../../../src/domain/questions/judge.js'
import fc from '../../support/property.js'

const once: PassRules = { passPercent: 60, multiple: 'partial', attempts: 1 }

function choice(options: number, rights = 1): FrozenForm {
  return {
    form: rights > 1 ? 'multiple' : 'single',
    options: Array.from({ length: options }, (_, index) => {
      return { id: `${index}`, text: '', correct: index < rights, feedback: null }
    }),
  }
}
const order = (length: number): FrozenForm => {
  return { form: 'order', items: Array.from({ length }, (_, index) => ({ id: `${index}`, text: '' })) }
}
const text: FrozenForm = { form: 'text', accepted: ['a'] }
const times = (count: number, question: FrozenForm): DrawnSection => {
  return { questions: new Array<FrozenForm>(count).fill(question), draw: count }
}
const percent = (chance: number) => Math.round(chance * 10_000) / 100

t.test('equals known chances of passing by guessing', async (t) => {
  t.equal(percent(chanceOfPassing([times(10, choice(2))], once)), 37.7)
  t.equal(percent(chanceOfPassing([times(10, choice(2))], { ...once, attempts: 3 })), 75.81)
  t.equal(percent(chanceOfPassing([times(10, choice(3))], once)), 7.66)
  t.equal(percent(chanceOfPassing([times(10, choice(4))], once)), 1.97)
  t.equal(percent(chanceOfPassing([times(10, choice(3))], { ...once, passPercent: 80 })), 0.34)
  t.equal(percent(chanceOfPassing([times(10, choice(2))], { ...once, passPercent: 80, attempts: 3 })), 15.53)
})

t.test('only gaps with choices can be guessed', async (t) => {
  const gap = (id: string, choices?: string[]) => ({ id, accepted: ['a'], ...(choices && { choices }) })
  const gaps: FrozenForm = {
    form: 'gaps',
    text: '',
    gaps: [gap('1', ['a', 'b']), gap('2', ['a', 'b', 'c', 'd']), gap('3')],
  }
  const chance = (passPercent: number) => chanceOfPassing([times(1, gaps)], { ...once, passPercent })
  t.equal(chance(100), 0)
  t.equal(percent(chance(60)), 12.5)
  t.equal(percent(chance(30)), 62.5)
})

t.test('handles empty and large tests, unlimited attempts and tiny chances', async (t) => {
  t.equal(chanceOfPassing([], once), 0)
  t.equal(chanceOfPassing([times(5, text)], { ...once, attempts: null }), 0)
  t.equal(chanceOfPassing([times(5, choice(2))], { ...once, attempts: null }), 1)
  const rare = chanceOfPassing([times(100, choice(4))], { ...once, passPercent: 100, attempts: 3 })
  t.ok(Math.abs(rare / (3 * 0.25 ** 100) - 1) < 1e-9, `${rare}`)
  const large: DrawnSection[] = [
    {
      questions: [...times(1_000, choice(7, 3)).questions, ...times(1_000, choice(11, 4)).questions, order(13)],
      draw: 100,
    },
  ]
  const chance = chanceOfPassing(large, { ...once, passPercent: 30 })
  t.ok(chance > 0 && chance < 1, `${chance}`)
})

t.test('a very large test gets an upper bound', async (t) => {
  const kinds = Array.from({ length: 14 }, (_, index) => times(300, choice(3 + index, 1 + (index % 3))).questions)
  const large: DrawnSection[] = [{ questions: kinds.flat(), draw: 500 }]
  const chance = chanceOfPassing(large, { ...once, passPercent: 60 })
  t.ok(chance > 0 && chance < 1e-6, `${chance}`)
  t.equal(chanceOfPassing(large, { ...once, passPercent: 1 }), 1)
})

/** Returns the equally probable answers of a guessing learner; only null for forms other than choice and order. */
function guessesOf(question: FrozenForm): (Answer | null)[] {
  if (question.form === 'single') return question.options.map(({ id }) => ({ option_ids: [id] }))
  if (question.form === 'multiple') {
    const sets = Array.from({ length: 2 ** question.options.length }, (_, bits) => {
      return question.options.filter((_, index) => (bits >> index) & 1).map(({ id }) => id)
    })
    return sets.filter((ids) => ids.length > 0).map((option_ids) => ({ option_ids }))
  }
  if (question.form === 'order') {
    return ordersOf(question.items.map(({ id }) => id)).map((item_ids) => ({ item_ids }))
  }
  return [null]
}

function ordersOf(ids: string[]): string[][] {
  if (ids.length === 0) return [[]]
  return ids.flatMap((id) => ordersOf(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]))
}

function subsetsOf<T>(pool: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return pool.flatMap((one, index) => subsetsOf(pool.slice(index + 1), size - 1).map((rest) => [one, ...rest]))
}

const product = <T>(lists: T[][]): T[][] => {
  return lists.reduce<T[][]>((all, list) => all.flatMap((head) => list.map((one) => [...head, one])), [[]])
}

/**
 * Judges every guess for every draw of questions. Returns the number of draws and the mean share of guesses that pass.
 */
function countPasses(sections: readonly DrawnSection[], passPercent: number, multiple: MultipleRule) {
  const draws = product(sections.map(({ questions, draw }) => subsetsOf(questions, draw))).map((draw) => draw.flat())
  const chances = draws.map((questions) => {
    const guesses = product(questions.map(guessesOf))
    const passed = guesses.filter((answers) => {
      const scores = answers.map((answer, index) => {
        return { score: judge(questions[index] as FrozenForm, answer, multiple), points: 1 }
      })
      return addScores(scores, passPercent).passed
    })
    return passed.length / guesses.length
  })
  return { draws: draws.length, chance: chances.reduce((sum, chance) => sum + chance, 0) / draws.length }
}

t.test('property: equals the count of all draws and guesses', async () => {
  const question = fc.constantFrom(choice(2), choice(3), choice(3, 2), choice(4, 2), order(2), order(3), text)
  const section = fc
    .array(question, { minLength: 1, maxLength: 4 })
    .chain((questions) => fc.record({ questions: fc.constant(questions), draw: fc.integer({ min: 1, max: 2 }) }))
    .filter(({ questions, draw }) => draw <= questions.length)
  const sections = fc.array(section, { minLength: 1, maxLength: 2 })
  const rule = fc.constantFrom('partial' as const, 'all' as const)
  fc.assert(
    fc.property(sections, fc.integer({ min: 1, max: 100 }), rule, (sections, passPercent, multiple) => {
      const { draws, chance } = countPasses(sections, passPercent, multiple)
      const found = chanceOfPassing(sections, { passPercent, multiple, attempts: 1 })
      if (Math.abs(found - chance) > 1e-9) throw new Error(`${found} instead of ${chance}`)
      const sizes = sections.map(({ questions, draw }) => ({ pool: questions.length, draw }))
      if (countDraws(sizes) !== BigInt(draws)) throw new Error(`${draws} draws`)
    }),
    { numRuns: 100 },
  )
})

t.test('counts draws exactly', async (t) => {
  t.equal(countDraws([{ pool: 49, draw: 6 }]), 13_983_816n)
  t.equal(
    countDraws([
      { pool: 5, draw: 2 },
      { pool: 4, draw: 4 },
    ]),
    10n,
  )
  t.equal(countDraws([{ pool: 3, draw: 4 }]), 0n)
  t.equal(countDraws([]), 1n)
  t.equal(countDraws([{ pool: 200, draw: 100 }]).toString().length, 59)
})
