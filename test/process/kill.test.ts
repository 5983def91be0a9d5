import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, firstLogin, loginOver, startProcess } from '../support/process.js'

const cards = (count: number, answer: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `karte-${index}`, answer: `${answer} ${index}` }))

t.test('after SIGKILL in a burst of submits every acknowledged result is there', async (t) => {
  const variables = await createStoreVariables(t)
  let service = await startProcess(t, variables)
  const login = firstLogin(service, variables)
  let total = 0
  const acknowledged = new Set<number>()
  for (let round = 0; round < 3; round++) {
    const send = await loginOver(service.url, login)
    const goal = acknowledged.size + 12 + 7 * round
    let reached: () => void = () => {}
    const enough = new Promise<void>((resolve) => {
      reached = resolve
    })
    const submit = async () => {
      for (;;) {
        const number = ++total
        const response = await send('/api/quiz/submit', { body: { total: number, deck: 'burst' } })
        if (response.status === 200) acknowledged.add(number)
        if (acknowledged.size >= goal) reached()
      }
    }
    const burst = Promise.allSettled([1, 2, 3, 4].map(submit))
    await enough
    await service.stop('SIGKILL')
    await burst
    service = await startProcess(t, variables)
  }
  // History shows the last 20 only, so the newest acknowledged ones must be among them round by round.
  const send = await loginOver(service.url, login)
  const { results } = (await (await send('/api/quiz/history')).json()) as { results: { total_questions: number }[] }
  const stored = results.map((result) => result.total_questions)
  const newest = [...acknowledged].sort((a, b) => b - a).slice(0, 10)
  t.ok(acknowledged.size > 30, `${acknowledged.size} acknowledged`)
  t.strictSame(
    newest.filter((number) => !stored.includes(number)),
    [],
  )
  await service.stop()
})

t.test('after SIGKILL in an import it happened whole or not at all', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/groß.md': deckFile('Groß', cards(3_000, 'alt')) })
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
  let service = await startProcess(t, variables)
  const login = firstLogin(service, variables)
  const outcomes = new Set<string>()
  let duration = 0
  for (const share of [undefined, 0.2, 0.5, 0.8, 0.95, 1.5]) {
    const text = `nach ${share}`
    await changeFiles(folder, { 'decks/groß.md': deckFile('Groß', cards(3_000, text)) })
    const before = await answersOf(service.url, login)
    const send = await loginOver(service.url, login)
    const started = performance.now()
    const importing = send('/api/admin/import', { method: 'POST' }).then(
      (response) => response.status,
      () => 'cut',
    )
    // The first one is not killed: it tells how long an import takes here.
    if (share === undefined) await importing
    else await sleep(duration * share)
    duration ||= performance.now() - started
    await service.stop('SIGKILL')
    const status = await importing
    service = await startProcess(t, variables)
    const after = await answersOf(service.url, login)
    t.equal(after.size, 1, 'all answers are of one version')
    if (status === 200) t.strictSame([...after], [text], 'what was acknowledged is there')
    else t.ok(after.has(text) || [...before].every((version) => after.has(version)))
    outcomes.add(after.has(text) ? 'whole' : 'not at all')
  }
  t.comment(`seen: ${[...outcomes]}`)
  await service.stop()
})

/** The versions that the exported answers are of; there must be 3,000 of them. */
async function answersOf(url: string, login: { username: string; password: string }): Promise<Set<string>> {
  const send = await loginOver(url, login)
  const lines = (await (await send('/api/decks/export-anki')).text()).trimEnd().split('\n')
  if (lines.length !== 3_000) throw new Error(`${lines.length} cards`)
  return new Set(lines.map((line) => line.split('\t')[1]?.replace(/ \d+$/, '') ?? ''))
}
