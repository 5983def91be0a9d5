import { type Card, createEmptyCard, default_w, type Grade, Rating } from 'ts-fsrs'
import { formulas, perturbedWeights, randomFrom } from './simulated-memory.js'

/**
 * What should the second and later reviews of a card on one day do to its memory state? Learners whose memory is known
 * study under each policy; the figures show whose forecast of recall is the best. It drives ts-fsrs alone: no database.
 * `node dist/bench/compare-same-day.js`
 */
const LEARNERS = 20
const CARDS = 200
const NEW_PER_DAY = 10
const DAYS = 180
const DESIRED_RETENTION = 0.9
/** Chances that a card which was just shown is known a few minutes later. */
const RETRY_SUCCESS = [0.5, 0.75, 0.9]

const POLICIES = ['first', 'short-term', 'long-term'] as const
const TRUTHS = ['retries leave no trace', 'retries follow the short-term formula'] as const

type Policy = (typeof POLICIES)[number]
type Truth = (typeof TRUTHS)[number]

interface Outcome {
  reviews: number
  recalls: number
  remembered: number
  /** The sum of (forecast − outcome)² over all recalls. */
  squaredError: number
  forecast: number
}

const noonOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day, 12))

function study(policy: Policy, truth: Truth, retrySuccess: number, seed: number): Outcome {
  const random = randomFrom(seed)
  const scheduler = formulas(default_w, DESIRED_RETENTION)
  const memory = formulas(perturbedWeights(random), DESIRED_RETENTION)
  const outcome: Outcome = { reviews: 0, recalls: 0, remembered: 0, squaredError: 0, forecast: 0 }
  const cards: { state: Card; truth: Card; due: number }[] = []
  for (let day = 0; day < DAYS; day++) {
    for (let fresh = 0; fresh < NEW_PER_DAY && cards.length < CARDS; fresh++) {
      cards.push({ state: createEmptyCard(noonOf(day)), truth: createEmptyCard(noonOf(day)), due: day })
    }
    const now = noonOf(day)
    for (const card of cards.filter(({ due }) => due <= day)) {
      const isNew = card.state.last_review === undefined
      const chance = isNew ? 0.6 : memory.longTerm.get_retrievability(card.truth, now, false)
      const knows = random() < chance
      if (!isNew) {
        const forecast = scheduler.longTerm.get_retrievability(card.state, now, false)
        outcome.recalls++
        outcome.forecast += forecast
        outcome.squaredError += (forecast - Number(knows)) ** 2
        if (knows) outcome.remembered++
      }
      let grade: Grade = knows ? Rating.Good : Rating.Again
      let next = scheduler.longTerm.next(card.state, now, grade).card
      let trueNext = memory.longTerm.next(card.truth, now, grade).card
      outcome.reviews++
      while (grade === Rating.Again) {
        grade = random() < retrySuccess ? Rating.Good : Rating.Again
        outcome.reviews++
        if (policy === 'short-term') next = scheduler.shortTerm.next(next, now, grade).card
        if (policy === 'long-term') next = scheduler.longTerm.next(next, now, grade).card
        if (truth !== 'retries leave no trace') trueNext = memory.shortTerm.next(trueNext, now, grade).card
      }
      const interval = knows ? next.scheduled_days : scheduler.longTerm.next_interval(next.stability, 0)
      Object.assign(card, { state: next, truth: trueNext, due: day + interval })
    }
  }
  return outcome
}

function studyAll(policy: Policy, truth: Truth, retrySuccess: number): Outcome {
  const total: Outcome = { reviews: 0, recalls: 0, remembered: 0, squaredError: 0, forecast: 0 }
  for (let learner = 1; learner <= LEARNERS; learner++) {
    const outcome = study(policy, truth, retrySuccess, learner)
    for (const key of Object.keys(total) as (keyof Outcome)[]) total[key] += outcome[key]
  }
  return total
}

console.log(`desired retention ${DESIRED_RETENTION}`)
for (const truth of TRUTHS) {
  for (const retrySuccess of RETRY_SUCCESS) {
    console.log(`\n${truth}, a retry succeeds with ${retrySuccess}`)
    console.log('policy      reviews/day  forecast  reached  forecast − reached  Brier score')
    for (const policy of POLICIES) {
      const { reviews, recalls, remembered, squaredError, forecast } = studyAll(policy, truth, retrySuccess)
      const row = [
        policy.padEnd(11),
        (reviews / LEARNERS / DAYS).toFixed(1).padStart(11),
        (forecast / recalls).toFixed(3).padStart(9),
        (remembered / recalls).toFixed(3).padStart(8),
        ((forecast - remembered) / recalls).toFixed(3).padStart(19),
        (squaredError / recalls).toFixed(4).padStart(12),
      ]
      console.log(row.join(' '))
    }
  }
}
