import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Card, createEmptyCard, type FSRS, type Grade, Rating } from 'ts-fsrs'
import { connectToStore, type OpenDatabase, openDatabase } from '../../dist/db/client.js'
import { migrateToLatest } from '../../dist/db/migrate.js'
import { SESSION_COOKIE } from '../../dist/plugins/session-cookie.js'
import { buildApp } from '../../dist/src/app.js'
import { commandLineActor } from '../../dist/src/commands/actor.js'
import { addDays, daysBetween, noonOf } from '../../dist/src/domain/time/calendar.js'
import { hashPassword } from '../../dist/src/services/accounts/passwords.js'
import { importContent } from '../../dist/src/services/content/folder/import.js'
import { mulberry32, type Random } from '../../dist/test/support/random.js'
import { openTemporaryStore } from '../../dist/test/support/temporary-store.js'
import { formulas, perturbedWeights } from './simulated-memory.js'
import { type Progress, printClasses, printCosts, type Recall, recallOf, summarize } from './simulated-recalls.js'

/**
 * Simulates learners who study the shipped content through the API with a simulated clock, checks the statistics of the
 * API, and prints the reached and the forecast retention: `npm run simulate [-- --days 120 --learners 20]`. Uses the
 * empty PostgreSQL database of DATABASE_URL, or a temporary embedded one if it is not set. With
 * `--spread 0 --absence 0` the learners' memory follows the service's model and the learners miss no day. The reached
 * retention must then equal the forecast, apart from chance.
 */
const { values: options } = parseArgs({
  options: {
    days: { type: 'string', default: '120' },
    learners: { type: 'string', default: '20' },
    spread: { type: 'string', default: '0.4' },
    absence: { type: 'string', default: '0.1' },
  },
})
const DAYS = Number(options.days)
const LEARNERS = Number(options.learners)
/** Spread of the learners' weights around those of the service, as in `perturbedWeights` */
const SPREAD = Number(options.spread)
/** Probability that a learner does not study on a day */
const ABSENCE = Number(options.absence)
const FIRST_DAY = '2026-01-05'
const NEW_PER_DAY = 5
const RETENTIONS = [0.8, 0.85, 0.9, 0.95]
/**
 * Probabilities of first ratings and of ratings of remembered cards. These are defaults of the fsrs-rs simulator, based
 * on Anki users.
 */
const FIRST_RATINGS: [RatingName, number][] = [
  ['again', 0.24],
  ['hard', 0.094],
  ['medium', 0.495],
  ['easy', 0.171],
]
const REMEMBERED_RATINGS: [RatingName, number][] = [
  ['hard', 0.224],
  ['medium', 0.631],
  ['easy', 0.145],
]
/** Probability of recall a few minutes after a card was shown */
const RETRY_SUCCESS = 0.75
const SECRET = 'only for an unreachable simulation'

interface Learner {
  cookie: string
  desiredRetention: number
  random: Random
  memory: { longTerm: FSRS; shortTerm: FSRS }
  cards: Map<number, Card>
  recalls: Recall[]
}

type RatingName = 'again' | 'hard' | 'medium' | 'easy'

const GRADES: Record<RatingName, Grade> = {
  again: Rating.Again,
  hard: Rating.Hard,
  medium: Rating.Good,
  easy: Rating.Easy,
}

const clock = { day: FIRST_DAY }
const database = await openStore()
await migrateToLatest(database.db)
const contentDir = fileURLToPath(new URL('../../content', import.meta.url))
const { cards: imported } = await importContent(database.db, commandLineActor(), contentDir)
const app = await buildApp({
  config: {
    basePath: '/',
    contentDir,
    companyName: undefined,
    companyLogo: undefined,
    corsOrigins: [],
    oidc: undefined,
    passwordLogin: true,
    publicUrl: undefined,
    scimAdopt: false,
    rateLimit: 0,
    sessionMaxDays: 30,
    statisticsMinPersons: 5,
    answersKeepDays: 90,
    resultsKeep: 'all',
    simulatedDate: undefined,
    defaultLanguage: 'de',
    isTimeZoneSet: true,
    timeZone: 'Europe/Berlin',
    tmpDir: tmpdir(),
    importMaxBytes: 2 ** 26,
    mail: undefined,
    mediaMaxBytes: 2 ** 31,
    trustProxy: [],
    webhookAllow: [],
    web: false,
  },
  sessionSecrets: [SECRET],
  database,
  logger: false,
  now: () => noonOf(clock.day),
})

async function openStore(): Promise<OpenDatabase> {
  const databaseUrl = process.env.DATABASE_URL
  const onIdleError = (error: Error) => console.error(error)
  if (databaseUrl === undefined) return connectToStore(await openTemporaryStore(), onIdleError)
  return openDatabase({ databaseUrl, dataDir: '', poolMax: 4, onIdleError })
}

async function send(cookie: string, method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) {
  const response = await app.inject({
    method,
    url: `/api/${path}`,
    headers: { cookie },
    ...(payload !== undefined && { payload }),
  })
  if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.body}`)
  return response
}

async function createLearner(number: number, passwordHash: string): Promise<Learner> {
  const username = `lernende-${number}`
  await database.db
    .insertInto('users')
    .values({ username, display_name: username, password_hash: passwordHash })
    .execute()
  const login = await send('', 'POST', 'auth/login', { username, password: SECRET })
  const value = login.cookies.find(({ name }) => name === SESSION_COOKIE)?.value
  const cookie = `${SESSION_COOKIE}=${value}`
  const desiredRetention = RETENTIONS[number % RETENTIONS.length] as number
  await send(cookie, 'PUT', 'review/settings', {
    new_per_day: NEW_PER_DAY,
    desired_retention: desiredRetention,
  })
  const random = mulberry32(number + 1)
  const memory = formulas(perturbedWeights(random, SPREAD), desiredRetention)
  return { cookie, desiredRetention, random, memory, cards: new Map(), recalls: [] }
}

/** Returns the learner's rating of a card and updates the state of the learner's memory of this card. */
function answer(learner: Learner, cardId: number): RatingName {
  const { memory, cards } = learner
  const now = noonOf(clock.day)
  const card: Card = cards.get(cardId) ?? createEmptyCard<Card>(now)
  const rating = chooseRating(learner, card, now)
  const isRetry = card.last_review?.getTime() === now.getTime()
  cards.set(cardId, (isRetry ? memory.shortTerm : memory.longTerm).next(card, now, GRADES[rating]).card)
  return rating
}

function chooseRating({ random, memory }: Learner, card: Card, now: Date): RatingName {
  if (card.last_review === undefined) return draw(FIRST_RATINGS, random())
  if (card.last_review.getTime() === now.getTime()) return random() < RETRY_SUCCESS ? 'medium' : 'again'
  const chance = memory.longTerm.get_retrievability(card, now, false)
  return random() < chance ? draw(REMEMBERED_RATINGS, random()) : 'again'
}

/** Returns the rating that a random `value` in [0, 1) selects. */
function draw(chances: [RatingName, number][], value: number): RatingName {
  let sum = 0
  for (const [rating, chance] of chances) {
    sum += chance
    if (value < sum) return rating
  }
  return 'medium'
}

function recordRecall(learner: Learner, progress: Progress | null, rating: RatingName): void {
  if (progress === null || progress.last_review === clock.day) return
  learner.recalls.push(recallOf(progress, clock.day, learner.desiredRetention, rating !== 'again'))
}

async function studyToday(learner: Learner): Promise<void> {
  for (;;) {
    const { cards } = (await send(learner.cookie, 'GET', 'review/queue?limit=100')).json()
    if (cards.length === 0) return
    for (const { card_id, progress } of cards) {
      const rating = answer(learner, card_id)
      recordRecall(learner, progress, rating)
      await send(learner.cookie, 'POST', 'review', { card_id, rating, duration_ms: 8_000 })
    }
  }
}

/** Returns the intervals of all scheduled cards in days. */
async function findIntervals(learner: Learner): Promise<number[]> {
  const intervals: number[] = []
  let after: number | null = 0
  for (let query = ''; after !== null; query = `&after=${after}`) {
    const page = (await send(learner.cookie, 'GET', `review/cards?limit=200${query}`)).json()
    for (const { progress } of page.cards) {
      if (progress !== null) intervals.push(daysBetween(progress.last_review, progress.next_review))
    }
    after = page.next_after
  }
  return intervals.sort((a, b) => a - b)
}

const average = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
const QUARTER = Math.ceil(DAYS / 4)

const started = performance.now()
const passwordHash = await hashPassword(SECRET)
const learners: Learner[] = []
for (let number = 0; number < LEARNERS; number++) learners.push(await createLearner(number, passwordHash))

const intervals = new Map<number, number[][]>(RETENTIONS.map((retention) => [retention, []]))
for (let day = 0; day < DAYS; day++) {
  clock.day = addDays(FIRST_DAY, day)
  for (const learner of learners) if (learner.random() >= ABSENCE) await studyToday(learner)
  if ((day + 1) % QUARTER !== 0 && day + 1 !== DAYS) continue
  for (const retention of RETENTIONS) {
    const found = await Promise.all(
      learners.filter(({ desiredRetention }) => desiredRetention === retention).map(findIntervals),
    )
    const all = found.flat().sort((a, b) => a - b)
    intervals.get(retention)?.push([all[Math.floor(all.length / 2)] ?? 0])
  }
}

console.log(`${LEARNERS} learners, ${imported.created} cards, ${DAYS} days, ${NEW_PER_DAY} new cards a day at most`)
console.log(`a share of ${ABSENCE} of the days is missed; spread of the weights of memory: ${SPREAD}\n`)

console.log(
  '| desired | reached | forecast | recalls | reviews a day, by quarter | median interval in days, by quarter |',
)
console.log('|---|---|---|---|---|---|')
let reviews = 0
for (const retention of RETENTIONS) {
  const group = learners.filter(({ desiredRetention }) => desiredRetention === retention)
  const recalls = group.flatMap((learner) => learner.recalls)
  const perDay: number[][] = []
  const counted = { reviews: 0, remembered: 0 }
  for (const { cookie } of group) {
    const stats = (await send(cookie, 'GET', `review/stats?days=${DAYS}`)).json()
    perDay.push(stats.days.map((day: { reviews: number }) => day.reviews))
    counted.reviews += stats.retention.total.reviews
    counted.remembered += stats.retention.total.remembered
  }
  if (counted.reviews !== recalls.length || counted.remembered !== recalls.filter((r) => r.remembered).length) {
    throw new Error('the statistics of the service are not what the learners did')
  }
  reviews += perDay.flat().reduce((sum, number) => sum + number, 0)
  const quarters = [0, 1, 2, 3].map((quarter) =>
    average(perDay.flatMap((days) => days.slice(quarter * QUARTER, (quarter + 1) * QUARTER))).toFixed(1),
  )
  const cells = [
    retention.toFixed(2),
    ...summarize(recalls),
    quarters.join(' → '),
    (intervals.get(retention) ?? []).join(' → '),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

const recallsOf = (retention: number) =>
  learners.filter(({ desiredRetention }) => desiredRetention === retention).flatMap(({ recalls }) => recalls)
const groups = RETENTIONS.map((retention) => ({ retention, recalls: recallsOf(retention) }))
printClasses(groups)
printCosts(groups)

const seconds = (performance.now() - started) / 1000
console.log(`\n${reviews} reviews in ${seconds.toFixed(0)} s`)
await app.close()
