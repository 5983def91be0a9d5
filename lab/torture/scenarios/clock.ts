import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findLost } from '../../../dist/test/support/burst.js'
import { loginOver, type Send, tryLogin } from '../../../dist/test/support/process.js'
import type { Outcome, Scope } from '../outcome.js'
import { startServer, startService } from './server.js'

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
/** Offset after which sessions (7 days) and a token of one day have expired */
const AHEAD = '+30d'

export async function jumpClock(scope: Scope): Promise<Outcome[]> {
  if (!existsSync(LIBRARY)) {
    const done = 'not tried: needs the package libfaketime'
    return [{ fault: 'clock jumps', done, observed: '', lost: '', defects: [] }]
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-clock-'))
  scope.teardown(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'offset')
  const setClock = async (offset: string) => {
    await writeFile(`${file}.new`, `${offset}\n`, { mode: 0o644 })
    await rename(`${file}.new`, file)
  }
  await setClock('+0')
  const variables = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    // The monotonic clock is not faked, because setting the clock of a machine does not affect it either.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  // PostgreSQL may run under another account, which must be able to read the file.
  await chmod(folder, 0o755)
  const outcomes: Outcome[] = []
  for (const database of ['PostgreSQL', 'embedded']) {
    await setClock('+0')
    const url = database === 'PostgreSQL' ? (await startServer(scope, [], variables)).url : ''
    outcomes.push(await jump(scope, database, url, variables, setClock))
  }
  return outcomes
}

async function jump(
  scope: Scope,
  database: string,
  serverUrl: string,
  variables: Record<string, string>,
  setClock: (offset: string) => Promise<void>,
): Promise<Outcome> {
  const defects: string[] = []
  const expect = (what: string, actual: unknown, ...expected: unknown[]) => {
    if (!expected.includes(actual)) defects.push(`${what}: ${actual}`)
  }
  const running = await startService(scope, serverUrl, { ...variables, TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '100' })
  const { service, login } = running
  const statusOf = async (send: Send, url: string, body?: unknown) =>
    (await send(url, body === undefined ? {} : { body })).status
  const acknowledged: number[] = []
  const submit = async (send: Send, total: number) => {
    const status = await statusOf(send, '/api/quiz/submit', { total })
    if (status === 200) acknowledged.push(total)
    expect(`submit ${total}`, status, 200)
  }
  const tryPassword = (password: string) =>
    tryLogin(service.url, { ...login, password }, { 'x-forwarded-for': '203.0.113.9' }).then(({ status }) => status)
  const dueOf = async (send: Send) => {
    const { counts } = (await (await send('/api/review/queue?limit=1')).json()) as { counts: { due: number } }
    return counts.due
  }
  const review = async (send: Send, rating: string) => {
    const { cards } = (await (await send('/api/review/queue?limit=1')).json()) as { cards: { card_id: number }[] }
    const card_id = cards[0]?.card_id
    const response = await send('/api/review', { body: { card_id, rating } })
    expect(`review ${rating}`, response.status, 200)
    return ((await response.json()) as { review_id: number }).review_id
  }
  const readEverything = async (send: Send, when: string) => {
    for (const url of [
      'decks',
      'review/queue',
      'review/stats',
      'review/history',
      'review/cards',
      'quiz/history',
      'accounts/me/data',
    ]) {
      expect(`${url} ${when}`, await statusOf(send, `/api/${url}`), 200)
    }
  }

  const { send } = running
  const created = await send('/api/auth/tokens', { body: { name: 'ein Tag', expires_in_days: 1 } })
  const { token } = (await created.json()) as { token: string }
  const tokenStatus = async () =>
    (await fetch(`${service.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status
  expect('token of one day', await tokenStatus(), 200)
  await submit(send, 1)
  await review(send, 'hard')
  const dueToday = await dueOf(send)

  await setClock(AHEAD)
  expect('session after 30 days', await statusOf(send, '/api/auth/me'), 401)
  expect('token of one day after 30 days', await tokenStatus(), 401)
  const ahead = await loginOver(service.url, login)
  await submit(ahead, 2)
  const dueAhead = await dueOf(ahead)
  if (dueAhead <= dueToday) defects.push(`due: ${dueToday} today, ${dueAhead} after 30 days`)
  await review(ahead, 'easy')
  await readEverything(ahead, 'ahead')
  for (let attempt = 0; attempt < 8; attempt++) await tryPassword('falsch')
  expect('limited after 8 failures', await tryPassword(login.password), 429)

  await setClock('+0')
  expect('session of ahead, back again', await statusOf(ahead, '/api/auth/me'), 200)
  expect('first session, back again', await statusOf(send, '/api/auth/me'), 200, 401)
  expect('login limited ahead, back again', await tryPassword(login.password), 200)
  const back = await loginOver(service.url, login)
  await submit(back, 3)
  const reviewId = await review(back, 'again')
  expect('undo', (await back(`/api/review/${reviewId}`, { method: 'DELETE' })).status, 200)
  await readEverything(back, 'back again')
  const statuses = await Promise.all(Array.from({ length: 300 }, () => statusOf(back, '/api/quiz/history')))
  if (statuses.some((status) => status !== 200)) defects.push(`the rate limit refuses: ${[...new Set(statuses)]}`)
  const lost = await findLost(back, acknowledged)
  if (service.child.exitCode !== null) defects.push('the service has ended')
  await service.stop()
  return {
    fault: `clock jumps (${database})`,
    done: 'libfaketime: 30 days ahead, then back, for the service and its database while they run',
    observed:
      'ahead: sessions and the token of a day are over, cards are due, login works; back: sessions of ahead and logins work, ' +
      'reviews of the future can be followed and undone, no limit stays',
    lost: lost.length === 0 ? `nothing of ${acknowledged.length} results and 3 reviews` : `results ${lost}`,
    defects: [...defects, ...lost.map((total) => `lost: ${total}`)],
  }
}
