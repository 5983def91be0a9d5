import assert from 'node:assert/strict'
import t from 'tap'
import {
  answer,
  isRight,
  isStored,
  parseRun,
  practise,
  proceed,
  type QuizQuestion,
  type Run,
  resultOf,
  scoreOf,
  startRun,
  viewOf,
  wrongQuestions,
} from '../../../web/src/pages/quiz/run.js'
import fc from '../../support/property.js'

const question = (card_id: number, options = ['a', 'b', 'c', 'd'], correct_index = 1): QuizQuestion => ({
  card_id,
  question: `Frage ${card_id}`,
  options,
  correct_index,
  full_answer: 'b',
  deck_name: 'Git',
})
const start = (count: number) =>
  startRun(
    'run',
    { deck: 'git', name: 'Git' },
    Array.from({ length: count }, (_, at) => question(at + 1)),
  )
const play = (run: Run, options: readonly number[]) =>
  options.reduce((played, option) => proceed(answer(played, option, 1000)), run)

t.test('a question is answered once before it continues', async (t) => {
  const run = start(2)
  t.equal(viewOf(run), 'question')
  t.equal(proceed(run), run, 'it does not continue without an answer')
  t.equal(answer(run, 4, 0), run, 'an unknown option is no answer')
  const answered = answer(run, 0, 1500)
  t.equal(viewOf(answered), 'feedback')
  t.equal(answer(answered, 1, 0), answered, 'a second answer is ignored')
  t.equal(viewOf(proceed(answered)), 'question')
  const over = play(run, [0, 1])
  t.equal(viewOf(over), 'result')
  t.equal(answer(over, 0, 0), over)
  t.equal(proceed(over), over)
  t.strictSame(scoreOf(over), { total: 2, correct: 1, percent: 50 })
  t.strictSame(
    wrongQuestions(over).map(({ card_id }) => card_id),
    [1],
  )
})

t.test('any sequence of actions keeps the run valid and the score right', async () => {
  const press = fc.oneof(fc.constant('on' as const), fc.nat({ max: 5 }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(press, { maxLength: 40 }), (count, presses) => {
      const run = presses.reduce<Run>((at, one) => (one === 'on' ? proceed(at) : answer(at, one, 10)), start(count))
      const { total, correct, percent } = scoreOf(run)
      assert.deepEqual(parseRun(JSON.parse(JSON.stringify(run))), run)
      assert.equal(total, count)
      assert.equal(correct, run.chosen.filter((option) => option === 1).length)
      assert.equal(percent, Math.round((correct / total) * 100))
      assert.equal(wrongQuestions(run).length, run.chosen.length - correct)
    }),
  )
})

t.test('options with equal text are equal', async (t) => {
  const duplicates = question(1, ['gleich', 'gleich', 'anders'], 0)
  t.ok(isRight(duplicates, 1))
  t.notOk(isRight(duplicates, 2))
  t.notOk(isRight(duplicates, undefined))
})

t.test('counts a pause of half a minute, but not of half an hour', async (t) => {
  t.equal(answer(start(1), 0, 30_000).spent_ms, 30_000)
  t.equal(answer(start(1), 0, 1_800_000).spent_ms, 300_000)
  t.equal(answer(start(1), 0, -5).spent_ms, 0)
})

t.test('repeats the wrong questions with the same right option, without changing the score', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (options, draws) => {
        const run = play(start(options.length), options)
        const again = practise(run, 'again', () => draws.next().value)
        assert.ok(again.isPractice)
        assert.deepEqual(
          again.questions.map(({ card_id }) => card_id),
          wrongQuestions(run).map(({ card_id }) => card_id),
        )
        for (const { options, correct_index } of again.questions) {
          assert.deepEqual([...options].sort(), ['a', 'b', 'c', 'd'])
          assert.equal(options[correct_index], 'b')
        }
      },
    ),
  )
})

t.test('finds a stored result among the new ones', async (t) => {
  const run = resultOf(play(start(2), [1, 0]))
  if (run === undefined) throw new Error('the run is not finished')
  const result = (created_at: string, correct_answers = 1, deck_slug = 'git') => ({
    deck_slug,
    quiz_type: 'multiple_choice',
    score_percent: 50,
    total_questions: 2,
    correct_answers,
    created_at,
  })
  t.notOk(isStored(run, [], []))
  t.ok(isStored(run, [], [result('2026-11-21T10:00:00.000Z')]))
  t.notOk(
    isStored(run, ['2026-11-21T10:00:00.000Z'], [result('2026-11-21T10:00:00.000Z')]),
    'an equal result from before',
  )
  t.ok(isStored(run, ['2026-11-21T11:00:00.000Z'], [result('2026-11-21T10:00:00.000Z')]), 'the clock was set back')
  t.notOk(isStored(run, [], [result('2026-11-21T10:00:00.000Z', 2)]))
  t.notOk(isStored(run, [], [result('2026-11-21T10:00:00.000Z', 1, 'all')]))
})

t.test('refuses a stored run that is damaged or of another version', async (t) => {
  const run = start(2)
  for (const kept of [
    undefined,
    null,
    'run',
    {},
    { ...run, version: 2 },
    { ...run, questions: [] },
    { ...run, questions: [{ ...question(1), correct_index: 7 }] },
    { ...run, at: 1 },
    { ...run, at: 0.5 },
    { ...run, chosen: [0, 1, 0] },
    { ...run, delivery: undefined },
    { ...run, putBack: {} },
  ]) {
    t.equal(parseRun(kept), undefined)
  }
})
