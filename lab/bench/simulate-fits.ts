import { parseArgs } from 'node:util'
import { type EffectiveReview, listItems } from '../../dist/src/domain/review/history.js'
import { type Memory, MemoryModel } from '../../dist/src/domain/review/memory.js'
import { DEFAULT_WEIGHTS } from '../../dist/src/domain/review/parameters.js'
import type { Rating } from '../../dist/src/domain/review/review.js'
import { firstRating, recallRating, retryRating } from '../../dist/src/domain/review/simulated-ratings.js'
import { loadTrainer } from '../../dist/src/services/review/fit/binding.js'
import { fitWeights } from '../../dist/src/services/review/fit/tasks.js'
import { mulberry32, type Random } from '../../dist/test/support/random.js'
import { drawWeights } from './drawn-weights.js'

/**
 * Fits parameters to synthetic learners whose weights are known, and compares the result with the defaults on further
 * reviews: `npm run simulate -- fits [--learners 24] [--seed 1]`. Prints one row per distance from the defaults and
 * number of reviews.
 */
const { values: options } = parseArgs({
  allowPositionals: true,
  options: { learners: { type: 'string', default: '24' }, seed: { type: 'string', default: '1' } },
})
const LEARNERS = Number(options.learners)
const SEED = Number(options.seed)
/** Standard deviations of the learners' weights, as shares of the standard deviation among all Anki users */
const DISTANCES = [0.4, 0.7, 1]
const REVIEWS = [250, 1_000, 2_000, 5_000, 10_000]
const TEST_REVIEWS = 5_000
const RETENTION = 0.9
/** Length of a trial in days; `MEASURED_FROM` is the first day whose recalls are measured. */
const TRIAL_DAYS = 240
const MEASURED_FROM = 60

interface Study {
  histories: EffectiveReview[][]
  reviews: number
  days: number
  recalls: { day: number; remembered: boolean }[]
}

interface Plan {
  truth: MemoryModel
  scheduler: MemoryModel
  newPerDay: number
  random: Random
  isOver: (study: Study) => boolean
}

interface Card {
  history: EffectiveReview[]
  memory: Memory | null
  estimate: Memory | null
  lastDay: number
}

/** Simulates a learner day by day until `isOver` returns true; the weights of `scheduler` determine the intervals. */
function study({ truth, scheduler, newPerDay, random, isOver }: Plan): Study {
  const result: Study = { histories: [], reviews: 0, days: 0, recalls: [] }
  const due = new Map<number, Card[]>()
  for (; !isOver(result); result.days++) {
    const day = result.days
    const cards = due.get(day) ?? []
    due.delete(day)
    for (let index = 0; index < newPerDay; index++) {
      const history: EffectiveReview[] = []
      result.histories.push(history)
      cards.push({ history, memory: null, estimate: null, lastDay: day })
    }
    for (const card of cards) {
      const days = day - card.lastDay
      let rating: Rating
      if (card.memory === null) rating = firstRating(random)
      else {
        rating = recallRating(truth.chance(card.memory, days), random)
        result.recalls.push({ day, remembered: rating !== 'again' })
      }
      for (let gap = days; ; gap = 0) {
        card.memory = truth.next(card.memory, gap, rating)
        card.estimate = scheduler.next(card.estimate, gap, rating)
        card.history.push({ id: ++result.reviews, rating, day })
        if (rating !== 'again') break
        rating = retryRating(random)
      }
      card.lastDay = day
      const next = day + scheduler.interval(card.estimate, RETENTION)
      due.set(next, [...(due.get(next) ?? []), card])
    }
  }
  return result
}

/** Simulates a trial and returns the absolute difference between the measured and the desired retention. */
function retentionError(truth: MemoryModel, weights: number[] | null, seed: number): number {
  const scheduler = new MemoryModel(weights)
  const trial = { truth, scheduler, newPerDay: 5, random: mulberry32(seed) }
  const { recalls } = study({ ...trial, isOver: ({ days }) => days >= TRIAL_DAYS })
  const measured = recalls.filter(({ day }) => day >= MEASURED_FROM)
  return Math.abs(measured.filter(({ remembered }) => remembered).length / measured.length - RETENTION)
}

interface Row {
  items: number
  isAdopted: boolean
  losses: Record<'standard' | 'used' | 'truth', number>
  change: number
  off: Record<'standard' | 'used' | 'truth', number>
}

const average = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const trainer = await loadTrainer()
if (trainer === undefined) throw new Error('this platform has no binary of the trainer')
const started = performance.now()
console.log(`${LEARNERS} learners for each row, seed ${SEED}; tested on ${TEST_REVIEWS} further reviews\n`)
console.log(
  '| distance | reviews | recalls | adopted | log loss: defaults | in use | true | change | worse (most) | off the wish: defaults | in use | true |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|---|---|')
for (const distance of DISTANCES) {
  for (const reviews of REVIEWS) {
    const rows: Row[] = []
    for (let learner = 0; learner < LEARNERS; learner++) {
      const seed = SEED * 100_000 + learner
      const random = mulberry32(seed)
      const truth = new MemoryModel(drawWeights(random, distance))
      const scheduler = new MemoryModel(null)
      // Uses fewer new cards per day for small histories, so that they span enough days for a fit.
      const newPerDay = Math.min(Math.max(Math.round(reviews / 400), 1), 10)
      let trained = 0
      const whole = study({
        truth,
        scheduler,
        newPerDay,
        random,
        isOver: (all) => {
          if (trained === 0 && all.reviews >= reviews) trained = all.reviews
          return trained > 0 && all.reviews >= trained + TEST_REVIEWS
        },
      })
      const histories = whole.histories
        .map((history) => history.filter(({ id }) => id <= trained))
        .filter(({ length }) => length > 0)
      const lastDay = Math.max(...histories.map((history) => history.at(-1)?.day ?? 0))
      const result = await fitWeights(histories, null, lastDay + 1, trainer.fit)
      const w = result.kind === 'fitted' ? result.w : null
      const losses = {
        standard: scheduler.logLoss(whole.histories, trained + 1),
        used: new MemoryModel(w).logLoss(whole.histories, trained + 1),
        truth: truth.logLoss(whole.histories, trained + 1),
      }
      rows.push({
        items: listItems(histories).length,
        isAdopted: w !== null,
        losses,
        change: losses.used / losses.standard - 1,
        off: {
          standard: retentionError(truth, null, seed + 7),
          used: retentionError(truth, w, seed + 7),
          truth: retentionError(truth, drawWeights(mulberry32(seed), distance), seed + 7),
        },
      })
    }
    const worse = rows.filter(({ change }) => change > 0)
    const cells = [
      distance.toFixed(1),
      reviews,
      Math.round(average(rows.map(({ items }) => items))),
      rows.filter(({ isAdopted }) => isAdopted).length,
      ...(['standard', 'used', 'truth'] as const).map((name) =>
        average(rows.map(({ losses }) => losses[name])).toFixed(4),
      ),
      percent(average(rows.map(({ change }) => change))),
      `${worse.length} (${percent(Math.max(0, ...worse.map(({ change }) => change)))})`,
      ...(['standard', 'used', 'truth'] as const).map((name) => average(rows.map(({ off }) => off[name])).toFixed(3)),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
}
console.log(
  `\n${((performance.now() - started) / 1000).toFixed(0)} s; default weights ${DEFAULT_WEIGHTS.slice(0, 4).join(', ')}, …`,
)
