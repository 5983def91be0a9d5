import type { Kysely } from 'kysely'
import t from 'tap'
import { migrateToLatest } from '../../db/migrate.js'
import { insertMails } from '../../db/queries/mail/outbox.js'
import type { Database } from '../../db/types.js'
import { calendarIn } from '../../src/domain/time/calendar.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import { createUser } from '../support/factories.js'
import { startMailServer } from '../support/mail-server.js'
import { createStoreVariables, runCommand, withStore } from '../support/process.js'

const MAILS = 40
/** Number of the mail and SMTP step during which the test kills the program */
const KILLS = [
  { at: 3, during: 'recipient' },
  { at: 11, during: 'text' },
  { at: 12, during: 'text' },
  { at: 25, during: 'recipient' },
  { at: MAILS, during: 'text' },
] as const
const SEND = ['jobs', 'run', 'send-mail']

type Variables = Record<string, string>

async function fillOutbox(db: Kysely<Database>): Promise<void> {
  await migrateToLatest(db)
  const today = calendarIn('Europe/Berlin')(new Date())
  for (let number = 1; number <= MAILS; number++) {
    const address = `person-${number}@example.org`
    const { id } = await createUser(db, { username: `person-${number}`, email: address })
    const text = { subject: 'Deine Aufgaben', body: 'Hallo,\n\ndu hast eine Aufgabe.\n' }
    await db
      .transaction()
      .execute((transaction) =>
        insertMails(transaction, [
          { user_id: id, kind: 'tasks', day: today, address, ...text, next_attempt_at: new Date() },
        ]),
      )
  }
}

const listStates = (db: Kysely<Database>) => db.selectFrom('mails').select(['address', 'state']).orderBy('id').execute()

t.test('a kill at any point of sending sends no mail twice, and leaves none unmarked', async (t) => {
  const server = await startMailServer(t)
  const variables = { ...(await createStoreVariables(t)), ...mailVariables(server.port) }
  await withStore(variables, fillOutbox)
  let seen = 0
  for (const { at, during } of KILLS) {
    const kill = new AbortController()
    let answer = (_reply: undefined) => {}
    const ended = new Promise<undefined>((resolve) => {
      answer = resolve
    })
    /** Kills the program at the chosen mail and step, and delays the reply until the program has ended. */
    const stall = (now: (typeof KILLS)[number]['during']) => {
      if (seen !== at || during !== now) return undefined
      kill.abort()
      return ended
    }
    server.onRecipient = () => {
      seen++
      return stall('recipient')
    }
    server.onMail = () => stall('text')
    const { code } = await runCommand(variables, SEND, '', { signal: kill.signal })
    t.equal(code, null, `killed at mail ${at}`)
    answer(undefined)
    // Releases the lease of the killed program, which would expire only after five minutes.
    await withStore(variables, (db) => db.updateTable('job_runs').set({ leased_until: null }).execute())
  }
  t.match(await runCommand(variables, SEND), { code: 0 })
  const states = await withStore(variables, listStates)
  const killed = new Set<number>(KILLS.map(({ at }) => at))
  t.strictSame(
    states.map(({ state }) => state),
    states.map((_, index) => (killed.has(index + 1) ? 'unknown' : 'sent')),
  )
  const withoutText = new Set<number>(KILLS.flatMap(({ at, during }) => (during === 'recipient' ? [at] : [])))
  t.strictSame(
    server.received.map(({ to }) => to),
    states.map(({ address }) => address).filter((_, index) => !withoutText.has(index + 1)),
    'each mail once, except those interrupted before their text',
  )
})

t.test('two programs at once send each mail once', { skip: !TEST_DATABASE_URL && 'needs a server' }, async (t) => {
  const server = await startMailServer(t)
  const variables = { ...(await createStoreVariables(t)), ...mailVariables(server.port) }
  await withStore(variables, fillOutbox)
  const ends = await Promise.all([1, 2].map(() => runCommand(variables, SEND)))
  t.ok(
    ends.some(({ code }) => code === 0),
    JSON.stringify(ends),
  )
  const states = await withStore(variables, listStates)
  t.ok(states.every(({ state }) => state === 'sent'))
  t.strictSame(server.received.map(({ to }) => to).sort(), states.map(({ address }) => address).sort())
})

function mailVariables(port: number): Variables {
  return {
    SMTP_HOST: 'localhost',
    SMTP_PORT: String(port),
    SMTP_SECURITY: 'off',
    SMTP_FROM: 'training@example.org',
    PUBLIC_URL: 'https://training.example.org/',
  }
}
