import t from 'tap'
import type { FrozenForm } from '../../../src/domain/questions/frozen.js'
import { judge, rightAnswer } from '../../../src/domain/questions/judge.js'
import { countDrawn, drawPlaces, drawQuestions, type RandomIndex } from '../../../src/domain/tests/draw.js'
import { showQuestion, withPlaces } from '../../../src/domain/tests/view.js'
import fc from '../../support/property.js'

/** Returns a seeded generator of integers below a limit, so that a failure can be reproduced. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const counter = () => {
  let count = 0
  return () => `id${count++}`
}

const questions = [0, 0, 0, 0, 1, 1, 1].map((section, id) => ({ id, section }))

t.test('draws the given number of questions from each section', async (t) => {
  const sections = [{ draw: 2 }, { draw: null }]
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), (seed, shuffle) => {
      const drawn = drawQuestions({ sections, shuffle }, questions, randomFrom(seed))
      const ids = drawn.map(({ id }) => id)
      const inOrder = [...ids].sort((a, b) => a - b)
      return (
        drawn.filter(({ section }) => section === 0).length === 2 &&
        drawn.filter(({ section }) => section === 1).length === 3 &&
        new Set(ids).size === 5 &&
        (shuffle || String(ids) === String(inOrder))
      )
    }),
  )
  t.equal(
    countDrawn(
      sections,
      new Map([
        [0, 4],
        [1, 3],
      ]),
    ),
    5,
  )
  t.equal(countDrawn([{ draw: 9 }], new Map([[0, 4]])), 4)
})

/** Calls `draw` once with each sequence of random numbers that it can receive. */
function forEachSequence(draw: (randomIndex: RandomIndex) => void): void {
  for (let sequence: number[] = []; ; ) {
    const limits: number[] = []
    draw((below) => sequence[limits.push(below) - 1] ?? 0)
    const last = limits.findLastIndex((limit, index) => (sequence[index] ?? 0) + 1 < limit)
    if (last < 0) return
    sequence = [...limits.keys()].slice(0, last + 1).map((index) => (sequence[index] ?? 0) + Number(index === last))
  }
}

t.test('each question and each order is equally likely', async (t) => {
  const counts = new Map<string, number>()
  forEachSequence((randomIndex) => {
    const drawn = drawQuestions({ sections: [{ draw: 2 }], shuffle: true }, questions.slice(0, 4), randomIndex)
    const key = drawn.map(({ id }) => id).join()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  })
  t.strictSame([...counts.values()], new Array(12).fill((4 * 3 * 2 * 2) / 12))
})

const FORMS: FrozenForm[] = [
  { form: 'single', options: ['a', 'b', 'c'].map((id) => ({ id, text: id, correct: id === 'a', feedback: 'nein' })) },
  { form: 'order', items: ['a', 'b', 'c'].map((id) => ({ id, text: id })) },
  { form: 'gaps', text: 'Nach {{a}} und {{b}}', gaps: ['a', 'b'].map((id) => ({ id, accepted: [`geheim ${id}`] })) },
  { form: 'text', accepted: ['geheim'] },
  { form: 'number', accepted: [4_711], tolerance: 815, unit: 'MB' },
]

t.test('a question is shown with new ids and without the right answer', async (t) => {
  for (const form of FORMS) {
    const frozen = { ...form, question: 'Was?', explanation: 'geheim' }
    const places = drawPlaces(frozen, counter(), randomFrom(3))
    const text = JSON.stringify(showQuestion(frozen, places))
    t.notMatch(text, /geheim|correct|feedback|accepted|4711|815|tolerance/, form.form)
    for (const { of } of places) t.notOk(text.includes(`"${of}","text"`) || text.includes(`{{${of}}}`), form.form)
    const judged = withPlaces(frozen, places)
    t.strictSame(judge(judged, rightAnswer(judged), 'all'), judge(frozen, rightAnswer(frozen), 'all'), form.form)
  }
})

t.test('the shown question does not depend on which option is right', async (t) => {
  const shown = [0, 1, 2].map((right) => {
    const options = ['a', 'b', 'c'].map((id, index) => ({ id, text: id, correct: index === right, feedback: null }))
    const frozen = { form: 'single' as const, options, question: 'Was?', explanation: '' }
    return showQuestion(frozen, drawPlaces(frozen, counter(), randomFrom(5)))
  })
  t.strictSame(shown[1], shown[0])
  t.strictSame(shown[2], shown[0])
})
