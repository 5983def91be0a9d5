import { setImmediate as nextRound } from 'node:timers/promises'
import t from 'tap'
import { TooManyAttempts, Unavailable } from '../../src/domain/refusal.js'
import { FairTurns, type TurnShare } from '../../src/services/fair-turns.js'

const OPTIONS = { concurrent: 2, waitingUrgent: 100, waitingOthers: 50, waitingPerOwner: 20, retryAfterSeconds: 5 }

const login = (group: string, owner: string): TurnShare => ({ isUrgent: true, group, owner })
const change = (owner: string): TurnShare => ({ group: owner, owner })

/**
 * Queues all turns at once. Returns the served turns in order, the highest concurrency, and the number of refusals by
 * error.
 */
async function serve(shares: TurnShare[], options: Partial<typeof OPTIONS> = {}) {
  const turns = new FairTurns({ ...OPTIONS, ...options })
  const served: TurnShare[] = []
  let running = 0
  let most = 0
  const results = await Promise.allSettled(
    shares.map((share) =>
      turns.run(share, async () => {
        served.push(share)
        running++
        most = Math.max(most, running)
        await nextRound()
        running--
      }),
    ),
  )
  const refused = (kind: new (seconds: number) => Error) =>
    results.filter((result) => result.status === 'rejected' && result.reason instanceof kind).length
  return { served, most, tooMany: refused(TooManyAttempts), unavailable: refused(Unavailable) }
}

const times = (count: number, shareOf: (i: number) => TurnShare) => Array.from({ length: count }, (_, i) => shareOf(i))
const placeOf = (served: TurnShare[], share: TurnShare) => served.indexOf(share) + 1

t.test('a member with 150 changes delays only itself and is refused', async (t) => {
  const others = times(10, (i) => login('office', `user ${i}`))
  const { served, most, tooMany, unavailable } = await serve([...times(150, () => change('member')), ...others])
  t.equal(most, 2)
  t.strictSame([tooMany, unavailable], [128, 0], 'two run and twenty wait')
  t.equal(served.length, 32)
  for (const other of others) t.ok(placeOf(served, other) <= 2 + 10 + 3, 'logins are served first')
})

t.test('another member comes after one change of the first', async (t) => {
  const other = change('other')
  const { served } = await serve([...times(150, () => change('member')), other])
  t.equal(placeOf(served, other), 4)
})

t.test('anonymous callers cannot delay logins, whatever names they try', async (t) => {
  for (const [kind, strangers, person, latest] of [
    ['20 networks', times(3_000, (i) => login(`net ${i % 20}`, `name ${i}`)), login('home', 'erika'), 2 + 20 + 1],
    ['one network', times(3_000, (i) => login('net', `name ${i}`)), login('home', 'erika'), 2 + 2],
    ['her network, 20 names', times(3_000, (i) => login('net', `name ${i % 20}`)), login('net', 'erika'), 2 + 20 + 1],
    ['her network and name', times(19, () => login('net', 'erika')), login('net', 'erika'), 20],
  ] as const) {
    const { served, unavailable, tooMany } = await serve([...strangers, person])
    const place = placeOf(served, person)
    t.ok(place > 0 && place <= latest, `${kind}: ${place}`)
    t.equal(served.length + unavailable + tooMany, strangers.length + 1, `${kind}: all requests get a response`)
    t.ok(served.length <= 102, `${kind}: the queue is bounded`)
  }
})

t.test('a flood of logins does not stop other hashes', async (t) => {
  const others = times(5, (i) => change(`member ${i}`))
  const { served } = await serve([...times(90, (i) => login(`net ${i}`, 'x')), ...others])
  t.strictSame(
    others.map((other) => placeOf(served, other)),
    [6, 11, 16, 21, 26],
  )
})

t.test('a failure releases its slot', async (t) => {
  const turns = new FairTurns({ ...OPTIONS, concurrent: 1 })
  const failing = turns.run(change('a'), () => Promise.reject(new Error('broken')))
  const next = turns.run(change('b'), async () => 'done')
  await t.rejects(failing, /broken/)
  t.equal(await next, 'done')
  t.equal(await turns.run(change('a'), async () => 'again'), 'again')
})

t.test('limits the slots of an owner, and others use the free ones', async (t) => {
  const turns = new FairTurns({ ...OPTIONS, runningPerOwner: 1 })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (owner: string, name: string) =>
    turns.run(change(owner), () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1')]
  await nextRound()
  t.strictSame(started, ['a1', 'b1'])
  for (const [end, next] of [
    ['b1', 'c1'],
    ['a1', 'a2'],
    ['c1', undefined],
    ['a2', 'a3'],
    ['a3', undefined],
  ] as const) {
    const before = started.length
    ends.get(end)?.()
    await nextRound()
    t.strictSame(started.slice(before), next === undefined ? [] : [next], `after ${end}`)
  }
  await Promise.all(all)
})

t.test('a signal ends the waiting, but not running work', async (t) => {
  const turns = new FairTurns({ ...OPTIONS, concurrent: 1, waitingPerOwner: 1 })
  const controller = new AbortController()
  const { signal } = controller
  let end = () => {}
  const running = turns.run(
    change('a'),
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
    signal,
  )
  const waiting = turns.run(change('b'), async () => 'never', signal)
  controller.abort(new Error('too late'))
  await t.rejects(waiting, /too late/)
  const next = turns.run(change('b'), async () => 'served')
  end()
  await running
  t.equal(await next, 'served', 'the aborted one waits no longer')
  await t.rejects(
    turns.run(change('a'), async () => 'never', signal),
    /too late/,
  )
})
