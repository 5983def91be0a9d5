import t from 'tap'
import fc, { runs } from '../../support/property.js'
import { FAULTS, type Fault, GONE, idsIn, MALFORMED, settleMicrotasks, TAKEN, Tab, World } from './world.js'

const USERS = [1, 2]

type Command =
  | { do: 'rate'; tab: number; user: number; card: number }
  | { do: 'undo'; tab: number }
  | { do: 'kill'; tab: number }
  | { do: 'wake'; tab: number }
  | { do: 'login'; tab: number; user: number | undefined }
  | { do: 'run'; steps: number }
  | { do: 'time'; ms: number }
  | { do: 'disk'; isFull: boolean }

const tab = fc.nat(1)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('rate' as const),
      tab,
      user: fc.constantFrom(...USERS),
      card: fc.constantFrom(1, 2, 3, 4, 5, GONE, TAKEN, MALFORMED),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('undo' as const), tab }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('kill' as const, 'wake' as const)
      .chain((name) => fc.record({ do: fc.constant(name), tab })) as fc.Arbitrary<Command>,
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('login' as const),
      tab,
      user: fc.constantFrom<number | undefined>(...USERS, undefined),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('run' as const), steps: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.constantFrom(500, 5_000, 60_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disk' as const), isFull: fc.boolean() }) },
)

/** A rating and the confirmations that the user saw; at the end they must hold, unless the rating is uncertain */
interface Story {
  id: string
  user: number
  card: number
  tab: Tab
  /** Index of the tab; a killed page is replaced by a new one with the same index */
  page: number
  isStored: boolean
  isInMemory: boolean
  /**
   * State of the undo. `promised`: the app has confirmed the undo to the user. `refused`: the app has reported that the
   * undo failed, for example because the disk is full.
   */
  undo: 'none' | 'asked' | 'promised' | 'refused'
  /** Whether the page was killed before it confirmed the rating, or had stored the rating only in memory */
  isUncertain: boolean
}

async function play(commands: Command[], numbers: number[], faults: Fault[], takesBatches: boolean) {
  let drawn = 0
  let fault = 0
  const world = new World(
    (below) => (numbers[drawn++ % numbers.length] ?? 0) % below,
    () => faults[fault++ % faults.length] ?? 'none',
  )
  world.service.takesBatches = takesBatches
  world.loggedIn = 1
  const stories: Story[] = []
  const tabs = [new Tab(world), new Tab(world)]
  const stacks: Story[][] = [[], []]

  const rate = (at: number, user: number, card: number) => {
    const tab = tabs[at] as Tab
    const id = `r${stories.length}`
    const story: Story = {
      id,
      user,
      card,
      tab,
      page: at,
      isStored: false,
      isInMemory: false,
      undo: 'none',
      isUncertain: false,
    }
    stories.push(story)
    stacks[at]?.push(story)
    void tab.do(async () => {
      // Some ratings postpone their card to tomorrow. The outbox must never send these ratings in a batch.
      const rating = stories.length % 3 === 0 ? 'tomorrow' : 'medium'
      const where = await tab.outbox.add(user, { id, card_id: card, rating, duration_ms: 1, reviewed_at: '' })
      story.isStored = true
      story.isInMemory = where === 'memory'
      tab.sender.wake()
    })
  }
  const undo = (at: number) => {
    const tab = tabs[at] as Tab
    const story = stacks[at]?.pop()
    if (story === undefined) return
    story.undo = 'asked'
    void tab.do(async () => {
      const result = await tab.outbox.undo(story.user, story.id)
      story.undo = result === 'unknown' ? 'refused' : 'promised'
      tab.sender.wake()
    })
  }
  const kill = (at: number) => {
    const tab = tabs[at] as Tab
    world.kill(tab)
    for (const story of stories) {
      if (story.tab !== tab) continue
      if (!story.isStored || story.isInMemory) story.isUncertain = true
    }
    // The next page of this tab can undo only the ratings that were certainly stored on the disk.
    stacks[at] = (stacks[at] ?? []).filter(({ isUncertain }) => !isUncertain)
    tabs[at] = new Tab(world)
    tabs[at]?.sender.wake()
  }
  const logIn = (at: number, user: number | undefined) => {
    const tab = tabs[at] as Tab
    void world.withSendLock(tab, async () => {
      world.loggedIn = user
      await world.step(tab)
    })
    tab.sender.wake('changed')
  }

  for (const command of commands) {
    await settleMicrotasks()
    if (command.do === 'rate') rate(command.tab, command.user, command.card)
    else if (command.do === 'undo') undo(command.tab)
    else if (command.do === 'kill') kill(command.tab)
    else if (command.do === 'wake') tabs[command.tab]?.sender.wake('changed')
    else if (command.do === 'login') logIn(command.tab, command.user)
    else if (command.do === 'run') await world.run(command.steps)
    else if (command.do === 'time') world.passTime(command.ms)
    else world.isDiskFull = command.isFull
  }

  world.nextFault = () => 'none'
  world.isDiskFull = false
  for (const user of USERS) {
    await world.runOut()
    world.loggedIn = user
    for (const tab of tabs) tab.sender.wake('changed')
    await world.runOut()
  }
  return { world, stories, tabs }
}

t.test('every rating arrives once, in order, and only for its owner, despite any faults', async (t) => {
  const count = runs(300)
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 5, maxLength: 60 }),
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 50 }),
      fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant<Fault>('none') }, fc.constantFrom(...FAULTS)), {
        minLength: 1,
        maxLength: 30,
      }),
      fc.boolean(),
      async (commands, numbers, faults, takesBatches) => {
        const { world, stories, tabs } = await play(commands, numbers, faults, takesBatches)
        const { service } = world
        if (service.foreign.length > 0) throw new Error(`sent for another user: ${service.foreign}`)
        for (const user of USERS) {
          const own = stories.filter((story) => story.user === user)
          const good = own.filter(({ card }) => card < 100)
          const standing = service.standing(user)
          for (const { id, undo, isStored, isUncertain } of good) {
            const times = standing.filter((one) => one === id).length
            if (times > 1) throw new Error(`${id} was applied ${times} times`)
            if (undo === 'promised' && times > 0 && !isUncertain) throw new Error(`${id} was taken back and stands`)
            const stands = undo === 'none' || undo === 'refused'
            if (stands && isStored && !isUncertain && times === 0) throw new Error(`${id} was lost`)
          }
          for (const tab of new Set(good.map((story) => story.tab))) {
            const said = good.filter((story) => story.tab === tab).map(({ id }) => id)
            const arrived = service.rows.map(({ id }) => id).filter((id) => said.includes(id))
            const inOrder = said.filter((id) => arrived.includes(id))
            if (arrived.join() !== inOrder.join()) throw new Error(`said ${inOrder}, arrived ${arrived}`)
          }
          for (const { undone, later } of service.standingAtUndo) {
            const [first, second] = [undone, later].map((id) => own.find((story) => story.id === id))
            // Ratings of different tabs are independent.
            if (first === undefined || second === undefined || first.page !== second.page) continue
            // The page was killed before it confirmed the undo, or the undo was refused.
            if (second.undo === 'asked' || second.undo === 'refused') continue
            // Undos on the disk are sent before those in memory. The real service refuses such an undo, and the app says so.
            if (second.isInMemory) continue
            if (!first.isUncertain && !second.isUncertain && stories.indexOf(first) < stories.indexOf(second)) {
              throw new Error(`${undone} was taken back while ${later} stood`)
            }
          }
          const waiting = [world.disk, ...tabs.map(({ memory }) => memory)].map((store) => idsIn(store, user))
          const left = (await Promise.all(waiting)).flat()
          if (left.length > 0) throw new Error(`still waiting: ${left}`)
          const loads = Promise.all(tabs.map(({ outbox }) => outbox.load(user)))
          await world.runOut()
          const shown = (await loads).flatMap(({ refused }) => refused)
          for (const { id, card, undo, isStored, isUncertain } of own) {
            const isShown = shown.some((entry) => entry.id === id)
            const isDue = card === MALFORMED && (undo === 'none' || undo === 'refused') && isStored && !isUncertain
            if (isDue && !isShown) throw new Error(`${id} was refused and is not shown`)
            if (isShown && (card !== MALFORMED || undo === 'promised')) throw new Error(`${id} is shown`)
          }
        }
      },
    ),
    { numRuns: count },
  )
  t.pass(`${count} stories`)
})
