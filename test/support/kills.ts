import { setTimeout as sleep } from 'node:timers/promises'
import { findLost, startBurst } from './burst.js'
import { changeFiles, deckFile, writeContentFolder } from './content.js'
import { firstLogin, loginOver, type Owner, openSession, type Send, sendWith, startProcess } from './process.js'

export interface Kills {
  kills: number
  acknowledged: number
  /** Acknowledged changes that are missing, and changes that were applied only in part */
  lost: string[]
  defects: string[]
  /** Counts by name, such as the outcomes of interrupted changes */
  outcomes: Record<string, number>
}

type Variables = Record<string, string>

function createKills(): Kills {
  return { kills: 0, acknowledged: 0, lost: [], defects: [], outcomes: {} }
}

function count(outcomes: Record<string, number>, outcome: string): void {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
}

/** Kills the service once in each of `rounds` bursts of submits on one store. */
export async function killInSubmits(t: Owner, variables: Variables, rounds: number): Promise<Kills> {
  const report = createKills()
  const acknowledged = new Set<number>()
  let service = await startProcess(t, variables)
  const login = firstLogin(service, variables)
  for (let round = 0; round < rounds; round++) {
    const burst = startBurst(await loginOver(service.url, login), { first: 1_000_000 * (round + 1) })
    await burst.reach(12 + 7 * round)
    await service.stop('SIGKILL')
    await burst.stop()
    for (const number of burst.acknowledged) acknowledged.add(number)
    report.defects.push(...burst.defects)
    service = await startProcess(t, variables)
    report.kills++
  }
  const lost = await findLost(await loginOver(service.url, login), acknowledged)
  report.acknowledged = acknowledged.size
  report.lost = lost.map((number) => `result ${number}`)
  await service.stop()
  return report
}

const CARDS = 3_000

function cards(answer: string) {
  return Array.from({ length: CARDS }, (_, index) => ({ id: `karte-${index}`, answer: `${answer} ${index}` }))
}

/**
 * Kills the service during imports of 3,000 changed cards. Each import must be applied completely or not at all.
 * @param shares fractions of the usual duration of an import, one per kill, after which the service is killed
 */
export async function killInImports(t: Owner, variables: Variables, shares: number[]): Promise<Kills> {
  const report = createKills()
  const folder = await writeContentFolder(t, { 'decks/groß.md': deckFile('Groß', cards('alt')) })
  const settings = { ...variables, CONTENT_DIR: folder }
  let service = await startProcess(t, settings)
  const login = firstLogin(service, settings)
  const importAs = async (text: string, killAfterMs?: number) => {
    await changeFiles(folder, { 'decks/groß.md': deckFile('Groß', cards(text)) })
    const send = await loginOver(service.url, login)
    const importing = send('/api/admin/import', { method: 'POST' }).then(
      (response) => response.status,
      () => 'cut',
    )
    if (killAfterMs === undefined) return importing
    await sleep(killAfterMs)
    await service.stop('SIGKILL')
    report.kills++
    return importing
  }

  const started = performance.now()
  await importAs('neu')
  const duration = performance.now() - started
  let before = 'neu'
  for (const share of shares) {
    const text = `nach ${share}`
    const status = await importAs(text, duration * share)
    service = await startProcess(t, settings)
    const versions = await versionsOf(await loginOver(service.url, login))
    const [version = ''] = versions
    if (versions.size !== 1 || ![before, text].includes(version)) report.lost.push(`mixed: ${[...versions]}`)
    if (status === 200) report.acknowledged++
    if (status === 200 && version !== text) report.lost.push(`acknowledged import "${text}"`)
    if (status !== 200 && status !== 'cut') report.defects.push(`import: ${status}`)
    count(report.outcomes, version === text ? 'whole' : 'not at all')
    before = version
  }
  await service.stop()
  return report
}

async function versionsOf(send: Send): Promise<Set<string>> {
  const lines = (await (await send('/api/decks/export-anki')).text()).trimEnd().split('\n')
  if (lines.length !== CARDS) return new Set([`${lines.length} cards`])
  return new Set(lines.map((line) => line.split('\t')[1]?.replace(/ \d+$/, '') ?? ''))
}

const USERS_AT_ONCE = 6
const RESULTS_OF_USER = 3

/**
 * Kills the service during deletions of users. Each deletion must be complete or have changed nothing, and the audit
 * trail must contain exactly the complete deletions.
 */
export async function killInDeletions(t: Owner, variables: Variables, rounds: number): Promise<Kills> {
  const report = createKills()
  let service = await startProcess(t, variables)
  const login = firstLogin(service, variables)
  let duration = 0
  for (let round = 0; round <= rounds; round++) {
    const admin = await loginOver(service.url, login)
    const users = await Promise.all(
      Array.from({ length: USERS_AT_ONCE }, (_, index) => createLearner(admin, service.url, `weg-${round}-${index}`)),
    )
    const acknowledged = new Set<number>()
    const started = performance.now()
    const deleting = (async () => {
      for (const { id } of users) {
        const response = await admin(`/api/admin/users/${id}`, { method: 'DELETE' })
        if (response.status === 200) acknowledged.add(id)
        else report.defects.push(`deletion: ${response.status}`)
      }
    })().catch(() => {})
    if (round === 0) {
      // Measures the duration of deletions without a kill.
      await deleting
      duration = performance.now() - started
      continue
    }
    await sleep((duration * round) / (rounds + 1))
    await service.stop('SIGKILL')
    await deleting
    report.kills++
    report.acknowledged += acknowledged.size
    service = await startProcess(t, variables)
    const found = await lookUp(await loginOver(service.url, login), service.url, users)
    for (const { id, username, isListed, results, isAudited } of found) {
      const isWhole = isListed && results === RESULTS_OF_USER && !isAudited
      const isGone = !isListed && results === undefined && isAudited
      if (!isWhole && !isGone) report.lost.push(`half: ${JSON.stringify({ username, isListed, results, isAudited })}`)
      if (acknowledged.has(id) && !isGone) report.lost.push(`acknowledged deletion of ${username}`)
      count(report.outcomes, isGone ? 'gone' : 'whole')
    }
  }
  await service.stop()
  return report
}

interface Learner {
  id: number
  username: string
  cookie: string
}

async function createLearner(admin: Send, url: string, username: string): Promise<Learner> {
  const user = { username, display_name: username, password: 'ein gutes Passwort' }
  const { id } = (await (await admin('/api/admin/users', { body: user })).json()) as { id: number }
  const cookie = await openSession(url, user)
  const send = sendWith(url, cookie)
  for (let total = 1; total <= RESULTS_OF_USER; total++) await send('/api/quiz/submit', { body: { total } })
  return { id, username, cookie }
}

/**
 * Returns for each user whether the user is listed, the number of results in the user's data (undefined without a
 * session), and whether the audit trail contains the deletion.
 */
async function lookUp(admin: Send, url: string, users: Learner[]) {
  const { users: listed } = (await (await admin('/api/admin/users')).json()) as { users: { id: number }[] }
  const { entries } = (await (await admin('/api/accounts/audit?limit=1000')).json()) as {
    entries: { action: string; target_id: number }[]
  }
  return Promise.all(
    users.map(async ({ id, username, cookie }) => {
      const response = await sendWith(url, cookie)('/api/accounts/me/data')
      const data = response.status === 200 ? ((await response.json()) as { results: unknown[] }) : undefined
      return {
        id,
        username,
        isListed: listed.some((one) => one.id === id),
        results: data?.results.length,
        isAudited: entries.some(({ action, target_id }) => action === 'user.delete' && target_id === id),
      }
    }),
  )
}
