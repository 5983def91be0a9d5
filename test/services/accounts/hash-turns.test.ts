import { setImmediate as nextRound } from 'node:timers/promises'
import t from 'tap'
import { TooManyAttempts, Unavailable } from '../../../src/domain/refusals.js'
import { type HashShare, HashTurns } from '../../../src/services/accounts/hash-turns.js'

const OPTIONS = { concurrent: 2, waitingLogins: 100, waitingOthers: 50, waitingPerOwner: 20, retryAfterSeconds: 5 }

const login = (group: string, owner: string): HashShare => ({ isLogin: true, group, owner })
const change = (owner: string): HashShare => ({ isLogin: false, group: owner, owner })

/** Lets all of them come at once; who was served, in the order of the turns, and how many were refused by which error. */
async function serve(shares: HashShare[], options: Partial<typeof OPTIONS> = {}) {
  const turns = new HashTurns({ ...OPTIONS, ...options })
  const served: HashShare[] = []
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

const times = (count: number, shareOf: (i: number) => HashShare) => Array.from({ length: count }, (_, i) => shareOf(i))
const placeOf = (served: HashShare[], share: HashShare) => served.indexOf(share) + 1

t.test('one member with 150 changes waits for himself, and is told to come back', async (t) => {
  const others = times(10, (i) => login('office', `user ${i}`))
  const { served, most, tooMany, unavailable } = await serve([...times(150, () => change('member')), ...others])
  t.equal(most, 2)
  t.strictSame([tooMany, unavailable], [128, 0], 'two run and twenty wait')
  t.equal(served.length, 32)
  for (const other of others) t.ok(placeOf(served, other) <= 2 + 10 + 3, 'logins come first')
})

t.test('another member comes after one change of him who has 150', async (t) => {
  const other = change('other')
  const { served } = await serve([...times(150, () => change('member')), other])
  t.equal(placeOf(served, other), 4)
})

t.test('strangers keep nobody out, whatever names they try', async (t) => {
  for (const [kind, strangers, person, latest] of [
    ['20 networks', times(3_000, (i) => login(`net ${i % 20}`, `name ${i}`)), login('home', 'erika'), 2 + 20 + 1],
    ['one network', times(3_000, (i) => login('net', `name ${i}`)), login('home', 'erika'), 2 + 2],
    ['her network, 20 names', times(3_000, (i) => login('net', `name ${i % 20}`)), login('net', 'erika'), 2 + 20 + 1],
    ['her network and name', times(19, () => login('net', 'erika')), login('net', 'erika'), 20],
  ] as const) {
    const { served, unavailable, tooMany } = await serve([...strangers, person])
    const place = placeOf(served, person)
    t.ok(place > 0 && place <= latest, `${kind}: ${place}`)
    t.equal(served.length + unavailable + tooMany, strangers.length + 1, `${kind}: everybody is answered`)
    t.ok(served.length <= 102, `${kind}: the line is bounded`)
  }
})

t.test('a flood of logins does not stop the rest', async (t) => {
  const others = times(5, (i) => change(`member ${i}`))
  const { served } = await serve([...times(90, (i) => login(`net ${i}`, 'x')), ...others])
  t.strictSame(
    others.map((other) => placeOf(served, other)),
    [6, 11, 16, 21, 26],
  )
})

t.test('work that fails gives its place to the next', async (t) => {
  const turns = new HashTurns({ ...OPTIONS, concurrent: 1 })
  const failing = turns.run(change('a'), () => Promise.reject(new Error('broken')))
  const next = turns.run(change('b'), async () => 'done')
  await t.rejects(failing, /broken/)
  t.equal(await next, 'done')
  t.equal(await turns.run(change('a'), async () => 'again'), 'again')
})
