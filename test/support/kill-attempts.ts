import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { migrateToLatest } from '../../db/migrate.js'
import type { Answer } from '../../src/domain/questions/judge.js'
import { createUser, PASSWORD, unique } from './factories.js'
import type { Kills } from './kills.js'
import { loginOver, type Owner, type Send, startProcess, withStore } from './process.js'
import { mulberry32 } from './random.js'
import { SEED } from './seed.js'
import { type ApiQuestion, publishTest, rightAnswerTo } from './taken-tests.js'

type Variables = Record<string, string>

const ATTEMPTS = 100
const LEARNERS = 4
/** Minimum number of acknowledged answers in a round before the service is killed */
const MIN_ANSWERS = 10

interface Acknowledged {
  /** Answers by slot */
  answers: Map<number, { seq: number; answer: Answer }>
  submitted: { passed: boolean; score_percent: number } | undefined
}

/**
 * Kills the service `rounds` times while learners take tests, the last time after the start of at least 100 attempts.
 * Before the last start of the service, moves the deadlines of the open attempts into the past. Then compares each
 * attempt with its acknowledged changes.
 */
export async function killInAttempts(t: Owner, variables: Variables, rounds: number): Promise<Kills> {
  const report: Kills = { kills: 0, acknowledged: 0, lost: [], defects: [], outcomes: {} }
  const { slug, abandoned, usernames } = await withStore(variables, async (db) => {
    await migrateToLatest(db)
    const { slug } = await publishTest(db, { attempts: null, review_when: 'now' })
    const { slug: abandoned } = await publishTest(db, { review_when: 'now' })
    const users = await Promise.all(Array.from({ length: LEARNERS }, () => createUser(db)))
    return { slug, abandoned, usernames: users.map(({ username }) => username) }
  })
  const known = new Map<string, Map<number, Acknowledged>>(usernames.map((name) => [name, new Map()]))
  const started = () => [...known.values()].reduce((sum, attempts) => sum + attempts.size, 0)
  const random = mulberry32(SEED)
  for (let round = 0; round < rounds; round++) {
    const service = await startProcess(t, variables)
    const state = { isStopped: false, answers: 0 }
    const goal = Math.ceil((ATTEMPTS * (round + 1)) / rounds)
    const extra = Math.floor(random() * MIN_ANSWERS)
    let reach = () => {}
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const check = () => {
      if (started() >= goal && state.answers >= MIN_ANSWERS + extra) reach()
    }
    const learners = usernames.map(async (username) => {
      const send = await loginOver(service.url, { username, password: PASSWORD })
      const attempts = known.get(username) as Map<number, Acknowledged>
      const onAnswer = () => {
        state.answers++
        check()
      }
      if (round === 0) await takeOnce(send, abandoned, attempts, report, onAnswer, true)
      while (!state.isStopped) await takeOnce(send, slug, attempts, report, onAnswer)
    })
    const ended = Promise.allSettled(learners)
    await Promise.race([reached, ended])
    state.isStopped = true
    await service.stop('SIGKILL')
    await ended
    report.kills++
  }
  const overdue = await withStore(variables, async (db) => {
    const { rows } = await sql<{ id: number }>`
      update attempts set started_at = started_at - interval '1 day', deadline_at = deadline_at - interval '1 day'
      where ended_at is null returning id`.execute(db)
    return new Set(rows.map(({ id }) => id))
  })
  const service = await startProcess(t, variables)
  for (const [username, attempts] of known) {
    const send = await loginOver(service.url, { username, password: PASSWORD })
    for (const [id, acknowledged] of attempts) await compare(send, id, acknowledged, overdue.has(id), report)
  }
  report.outcomes.attempts = started()
  report.outcomes.overdue = overdue.size
  await service.stop()
  return report
}

/**
 * Starts or continues an attempt, answers all questions and submits; if `isAbandoned`, gives three answers and does not
 * submit.
 * @throws Error if the service has been killed or refuses a request
 */
async function takeOnce(
  send: Send,
  slug: string,
  attempts: Map<number, Acknowledged>,
  report: Kills,
  onAnswer: () => void,
  isAbandoned = false,
): Promise<void> {
  const request = async (path: string, init: { method: string; body?: unknown }) => {
    const response = await send(path, init)
    const body = await response.json()
    if (response.status !== 200) {
      const refusal = `${init.method} ${path}: ${response.status}`
      report.defects.push(refusal)
      throw new Error(refusal)
    }
    return body as { attempt: { id: number; questions: ApiQuestion[]; passed: boolean; score_percent: number } }
  }
  const { attempt } = await request(`/api/tests/${slug}/attempts`, {
    method: 'POST',
    body: { client_id: unique('kill') },
  })
  const path = `/api/tests/attempts/${attempt.id}`
  const acknowledged = attempts.get(attempt.id) ?? { answers: new Map(), submitted: undefined }
  attempts.set(attempt.id, acknowledged)
  for (const question of isAbandoned ? attempt.questions.slice(0, 3) : attempt.questions) {
    const { slot } = question
    const answer = rightAnswerTo(question)
    const seq = question.seq + 1
    await request(`${path}/answers/${slot}`, { method: 'PUT', body: { seq, answer } })
    acknowledged.answers.set(slot, { seq, answer })
    report.acknowledged++
    onAnswer()
  }
  if (isAbandoned) return
  const submitted = await request(`${path}/submit`, { method: 'POST' })
  const { passed, score_percent } = submitted.attempt
  acknowledged.submitted = { passed, score_percent }
}

async function compare(
  send: Send,
  id: number,
  { answers, submitted }: Acknowledged,
  isOverdue: boolean,
  { lost }: Kills,
): Promise<void> {
  const { attempt } = (await (await send(`/api/tests/attempts/${id}`)).json()) as {
    attempt: { state: string; deadline: string; questions: ApiQuestion[] }
  }
  for (const [slot, { seq, answer }] of answers) {
    const stored = attempt.questions[slot]
    const isKept =
      stored !== undefined && stored.seq >= seq && (stored.seq > seq || isDeepStrictEqual(stored.answer, answer))
    if (!isKept) lost.push(`answer ${slot} of attempt ${id}`)
  }
  if (submitted !== undefined && attempt.state !== 'submitted') lost.push(`end of attempt ${id}`)
  if (submitted === undefined && !isOverdue) return
  const { review } = (await (await send(`/api/tests/attempts/${id}/review`)).json()) as {
    review: { ended_by: string; ended_at: string; passed: boolean; score_percent: number }
  }
  const { passed, score_percent } = review
  if (submitted !== undefined && !isDeepStrictEqual({ passed, score_percent }, submitted))
    lost.push(`result of attempt ${id}`)
  if (!isOverdue) return
  if (review.ended_by !== 'time' || review.ended_at !== attempt.deadline) lost.push(`deadline of attempt ${id}`)
}
