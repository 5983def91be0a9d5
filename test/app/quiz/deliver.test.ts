import assert from 'node:assert/strict'
import t from 'tap'
import { deliver } from '../../../web/src/pages/quiz/deliver.js'
import {
  answer,
  type Delivery,
  proceed,
  type QuizResult,
  type Run,
  resultOf,
  startRun,
} from '../../../web/src/pages/quiz/run.js'
import fc from '../../support/property.js'

const OPTIONS = { options: ['a', 'b'], correct_index: 0, question: '?', full_answer: 'a', deck_name: 'Git' }
const finished = (): Run =>
  proceed(answer(startRun('run', { deck: 'git', name: 'Git' }, [{ card_id: 1, ...OPTIONS }]), 0, 1000))

type Fault = 'none' | 'request lost' | 'response lost' | 'refused'

/** Creates a model of the service that already stores `before` identical results. */
function createService(before: number) {
  const results: QuizResult[] = []
  const store = () => {
    results.unshift({
      deck_slug: 'git',
      quiz_type: 'multiple_choice',
      score_percent: 100,
      total_questions: 1,
      correct_answers: 1,
      created_at: new Date(results.length * 1000).toISOString(),
    })
  }
  for (let at = 0; at < before; at += 1) store()
  return { results, store }
}

t.test('stores a result once, whichever message is lost and whenever the page reloads', async () => {
  const fault = fc.constantFrom<Fault>('none', 'request lost', 'response lost', 'refused')
  const attempt = fc.record({ reading: fc.boolean(), sending: fault })
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 25 }), fc.array(attempt, { maxLength: 6 }), async (before, attempts) => {
      const service = createService(before)
      let delivery: Delivery = { state: 'unsent' }
      for (const { reading, sending } of [...attempts, { reading: true, sending: 'none' as const }]) {
        const ports = {
          results: async () => {
            if (!reading) throw new Error('no response')
            return service.results.slice(0, 20)
          },
          submit: async () => {
            if (sending === 'request lost') throw new Error('no response')
            if (sending === 'refused') throw new Error('refused')
            service.store()
            if (sending === 'response lost') throw new Error('no response')
          },
          keep(next: Delivery) {
            delivery = structuredClone(next)
          },
          isDefinitelyRefused: (error: unknown) => (error as Error).message === 'refused',
        }
        const result = resultOf({ ...finished(), delivery })
        if (result !== undefined) await deliver(result, ports).catch(() => {})
      }
      assert.equal((delivery as Delivery).state, 'stored')
      assert.equal(service.results.length, before + 1)
    }),
  )
})

t.test('an unfinished run, a practice round and a stored result are not sent', async (t) => {
  t.match(resultOf(finished()), { id: 'run', deck: 'git', total: 1, correct: 1 })
  t.equal(resultOf({ ...finished(), at: 0 }), undefined)
  t.equal(resultOf({ ...finished(), isPractice: true }), undefined)
  t.equal(resultOf({ ...finished(), delivery: { state: 'stored' } }), undefined)
})
