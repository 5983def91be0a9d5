import t from 'tap'
import { FairQueue, type Share } from '../../src/domain/fair-queue.js'
import fc from '../support/property.js'

interface Item extends Share {
  number: number
}

const share = fc.record({ group: fc.constantFrom('a', 'b', 'c', 'd'), owner: fc.constantFrom('x', 'y', 'z') })
/** Events: the share of an arriving item, or null to serve the next item */
const events = fc.array(fc.option(share, { freq: 3 }), { maxLength: 200 })
const CAPACITY = 12

const sharesOf = (items: Item[], key: (item: Item) => string) => {
  const shares = new Map<string, number>()
  for (const item of items) shares.set(key(item), (shares.get(key(item)) ?? 0) + 1)
  return shares
}

/**
 * Replays the events. `see` receives each event with `waiting`, the expected queue in the order of arrival. The queue
 * still includes the item that the event removes.
 */
function play(
  steps: (Share | null)[],
  see: (seen: { came?: Item; gave?: Item; turn?: Item; waiting: Item[] }) => void,
) {
  const queue = new FairQueue<Item>(CAPACITY)
  let waiting: Item[] = []
  const take = (item: Item | undefined) => {
    waiting = waiting.filter((one) => one !== item)
  }
  for (const [number, step] of steps.entries()) {
    if (step === null) {
      const turn = queue.shift()?.item
      see({ ...(turn && { turn }), waiting })
      take(turn)
    } else {
      const came = { ...step, number }
      waiting.push(came)
      const gave = queue.push(step, came)
      see({ came, ...(gave && { gave }), waiting })
      take(gave)
    }
    if (queue.size !== waiting.length) throw new Error(`${queue.size} wait, not ${waiting.length}`)
  }
  return queue
}

t.test('loses and repeats nothing and respects the limit', async () => {
  fc.assert(
    fc.property(events, (steps) => {
      const queue = play(steps, ({ gave, turn, waiting }) => {
        if (turn === undefined && gave === undefined && waiting.length > CAPACITY) throw new Error('too many')
        if (gave !== undefined && waiting.length <= CAPACITY) throw new Error('there was room')
        for (const item of [gave, turn]) if (item && !waiting.includes(item)) throw new Error('from nowhere')
      })
      while (queue.shift() !== undefined);
      return queue.size === 0
    }),
  )
})

t.test("keeps the order of an owner's items", async () => {
  fc.assert(
    fc.property(events, (steps) => {
      play(steps, ({ turn, waiting }) => {
        const first = waiting.find((item) => item.group === turn?.group && item.owner === turn.owner)
        if (turn !== first) throw new Error('an earlier one waits')
      })
    }),
  )
})

t.test('evicts from the owner with most items, in favour of owners with fewer', async () => {
  fc.assert(
    fc.property(events, (steps) => {
      play(steps, ({ gave, waiting }) => {
        if (gave === undefined) return
        const groups = sharesOf(waiting, (item) => item.group)
        const owners = sharesOf(
          waiting.filter((item) => item.group === gave.group),
          (item) => item.owner,
        )
        if (groups.get(gave.group) !== Math.max(...groups.values())) throw new Error('another group has more')
        if (owners.get(gave.owner) !== Math.max(...owners.values())) throw new Error('another owner has more')
      })
    }),
  )
})

t.test('groups take turns, and owners within a group', async () => {
  fc.assert(
    fc.property(fc.array(share, { maxLength: 60 }), (shares) => {
      const queue = new FairQueue<Share>(60)
      for (const one of shares) queue.push(one, one)
      const turns: Share[] = []
      for (let turn = queue.shift()?.item; turn !== undefined; turn = queue.shift()?.item) turns.push(turn)
      const takeTurns = (keys: string[]) => {
        for (const [index, key] of keys.entries()) {
          const next = keys.indexOf(key, index + 1)
          if (next < 0) continue
          const between = keys.slice(index + 1, next)
          if (new Set(between).size !== between.length) throw new Error('twice between two turns')
          const others = new Set(keys.slice(next).filter((other) => other !== key))
          for (const other of others) if (!between.includes(other)) throw new Error(`${other} waits too long`)
        }
      }
      takeTurns(turns.map(({ group }) => group))
      for (const group of 'abcd') takeTurns(turns.filter((one) => one.group === group).map(({ owner }) => owner))
    }),
  )
})

t.test('a single owner cannot fill the queue', async (t) => {
  const queue = new FairQueue<string>(10)
  for (let i = 0; i < 10; i++) t.equal(queue.push({ group: 'flood', owner: `${i}` }, `flood ${i}`), undefined)
  t.equal(
    queue.push({ group: 'flood', owner: '10' }, 'flood 10'),
    'flood 10',
    'among owners with equally many items, the newest item is evicted',
  )
  t.match(queue.push({ group: 'other', owner: 'x' }, 'other'), /^flood/)
  t.equal(queue.shift()?.item.startsWith('flood'), true)
  t.equal(queue.shift()?.item, 'other', 'it is served second')
})

t.test('serves only owners that may be served, and forgets removed items', async (t) => {
  const queue = new FairQueue<string>(10)
  const a = { group: 'g', owner: 'a' }
  const b = { group: 'g', owner: 'b' }
  queue.push(a, 'a1')
  queue.push(a, 'a2')
  queue.push(b, 'b1')
  t.strictSame(
    queue.shift(({ owner }) => owner === 'b'),
    { share: b, item: 'b1' },
  )
  t.equal(
    queue.shift(({ owner }) => owner === 'b'),
    undefined,
  )
  queue.remove(b, 'b1')
  queue.remove(a, 'a1')
  t.equal(queue.size, 1)
  t.equal(queue.waitingOf(a), 1)
  t.strictSame(queue.shift(), { share: a, item: 'a2' })
})
