import t from 'tap'
import { insertMails } from '../../../db/queries/mail/outbox.js'
import type { NewMail } from '../../../src/domain/mail/mail.js'
import type { MailSettings } from '../../../src/domain/mail/settings.js'
import { calendarIn } from '../../../src/domain/time/calendar.js'
import { type JobContext, runJob } from '../../../src/services/jobs/job.js'
import { JOBS } from '../../../src/services/jobs/jobs.js'
import { CERTIFICATE_OF_ANOTHER } from '../../support/certificates.js'
import { createMigratedDatabase } from '../../support/database.js'
import { createUser } from '../../support/factories.js'
import { startMailServer } from '../../support/mail-server.js'

const database = await createMigratedDatabase()
const { db } = database
t.teardown(() => database.close())

const DAY = '2026-12-02'
let now = new Date('2026-12-02T10:00:00Z')
const dayOf = calendarIn('Europe/Berlin')
const server = await startMailServer(t)

t.beforeEach(async () => {
  now = new Date('2026-12-02T10:00:00Z')
  server.received.length = 0
  server.onRecipient = () => undefined
  server.onMail = () => undefined
  await db.deleteFrom('mails').execute()
})

const errors: unknown[] = []

async function send(mail: MailSettings | undefined, context: Partial<JobContext> = {}) {
  return runJob(db, JOBS['send-mail'], {
    mail,
    moment: (at = now) => ({ at, today: dayOf(at) }),
    publicUrl: 'https://training.example.org/',
    timeZone: 'Europe/Berlin',
    answersKeepDays: 90,
    defaultLanguage: 'de',
    resultsKeep: 'all',
    signal: new AbortController().signal,
    onError: (error) => errors.push(error),
    ...context,
  })
}

async function person(name = 'Erika Muster', more: Parameters<typeof createUser>[1] = {}) {
  const { id } = await createUser(db, { display_name: name, email: 'erika@example.org', ...more })
  return id
}

async function plan(userId: number, mail: Partial<NewMail> = {}) {
  const planned: NewMail = {
    user_id: userId,
    kind: 'tasks',
    day: DAY,
    address: 'erika@example.org',
    subject: 'Überfällig: „Brandschutz“',
    body: 'Hallo Erika,\n\ndu hast eine Aufgabe.\n',
    next_attempt_at: now,
    ...mail,
  }
  const [id] = await db.transaction().execute((transaction) => insertMails(transaction, [planned]))
  return id as number
}

const stateOf = (id: number) =>
  db
    .selectFrom('mails')
    .select(['state', 'attempts', 'answer', 'body', 'next_attempt_at', 'sent_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Aborts, and lets the timers that this starts fire at once. Returns their delays in milliseconds. */
function abortAndPassTime(stopping: AbortController): (number | undefined)[] {
  const delays: (number | undefined)[] = []
  const { setTimeout } = globalThis
  globalThis.setTimeout = ((work: () => void, ms?: number) => {
    delays.push(ms)
    return setTimeout(work, 0)
  }) as typeof setTimeout
  try {
    stopping.abort(new Error('the service stops'))
  } finally {
    globalThis.setTimeout = setTimeout
  }
  return delays
}

t.test('sends a mail once, encrypted and authenticated, and deletes its text', async (t) => {
  const key = 'a-key'
  const id = await plan(await person('Erika Muster', { due_cards_mail_key: key }), { kind: 'due_cards' })
  const later = await plan(await person(), { next_attempt_at: new Date(now.getTime() + 1_000) })
  t.strictSame(await send(server.settings({ replyTo: 'hr@example.org' })), {
    sent: 1,
    postponed: 0,
    failed: 0,
    unknown: 0,
  })
  t.strictSame(await send(server.settings()), { sent: 0, postponed: 0, failed: 0, unknown: 0 })
  t.equal(server.received.length, 1)
  const [mail] = server.received
  t.match(mail, { from: 'training@example.org', to: 'erika@example.org', isEncrypted: true })
  t.match(mail?.headers, {
    from: '=?UTF-8?Q?=C3=9Cbungen_=26_Mehr?= <training@example.org>',
    to: 'Erika Muster <erika@example.org>',
    'reply-to': 'hr@example.org',
    'message-id': new RegExp(`^<mail\\.${id}\\.\\d+@example\\.org>$`),
    'auto-submitted': 'auto-generated',
    'list-unsubscribe': `<https://training.example.org/api/mail/unsubscribe?key=${key}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    'content-type': 'text/plain; charset=utf-8',
  })
  t.match(mail?.raw, /du hast eine Aufgabe/)
  t.match(await stateOf(id), { state: 'sent', attempts: 1, body: null, sent_at: now, answer: /^250 / })
  t.match(await stateOf(later), { state: 'waiting', attempts: 0 })
})

t.test('a second mail of a kind and day is omitted, except for confirmations', async (t) => {
  const id = await person()
  t.ok(await plan(id))
  t.equal(await plan(id), undefined)
  t.ok(await plan(id, { kind: 'confirm_address' }))
  t.ok(await plan(id, { kind: 'confirm_address' }))
})

t.test('no name or subject adds a header or a recipient', async (t) => {
  const names = [
    'Erika"\r\nBcc: x@example.org\r\n\r\nHallo',
    'a@example.org, b@example.org',
    '<x@example.org>',
    '=cmd|calc',
    '\u202egro.elpmaxe\u2066',
    'ÄÖÜ '.repeat(50),
    '=?UTF-8?B?QmNj?=',
  ]
  for (const name of names) await plan(await person(name), { subject: `Fällig: ${name}` })
  await plan(await person(), { address: 'erika@bücher.example' })
  await db
    .updateTable('users')
    .set({ email: 'erika@bücher.example' })
    .where('display_name', '=', 'Erika Muster')
    .execute()
  t.match(await send(server.settings()), { sent: names.length + 1 })
  for (const { to, headers, raw } of server.received.slice(0, -1)) {
    t.equal(to, 'erika@example.org')
    t.notOk(headers.bcc)
    t.match(headers.to, /<erika@example\.org>$/)
    t.notMatch(headers.subject, /\r|\n|\u202e/)
    t.ok(raw.split('\r\n').every((line) => line.length <= 200))
  }
  t.match(server.received.at(-1)?.headers.to, '<erika@xn--bcher-kva.example>')
})

t.test('one refused recipient does not stop the others, and temporary refusals are tried again', async (t) => {
  const [gone, busy, good] = await Promise.all(
    ['gone', 'busy', 'good'].map((name) => person(name, { email: `${name}@example.org` })),
  )
  const ids = { gone: await plan(gone as number), busy: await plan(busy as number), good: await plan(good as number) }
  server.onRecipient = (address) => {
    if (address.startsWith('gone')) return { code: 550, text: '5.1.1 No such user' }
    if (address.startsWith('busy')) return { code: 450, text: '4.2.1 Mailbox busy' }
    return undefined
  }
  t.strictSame(await send(server.settings()), { sent: 1, postponed: 1, failed: 1, unknown: 0 })
  t.match(await stateOf(ids.gone), { state: 'failed', body: null, answer: '550 5.1.1 No such user' })
  t.match(await stateOf(ids.busy), {
    state: 'waiting',
    attempts: 1,
    answer: '450 4.2.1 Mailbox busy',
    next_attempt_at: new Date(now.getTime() + 5 * 60_000),
  })
  server.onRecipient = () => undefined
  server.onMail = () => ({ code: 421, text: '4.7.0 Too many messages' })
  for (const minutes of [5, 30, 120, 360]) {
    now = new Date(now.getTime() + minutes * 60_000)
    t.match(await send(server.settings()), { postponed: 1 }, `after ${minutes} minutes`)
  }
  now = new Date(now.getTime() + 86_400_000)
  t.match(await send(server.settings()), { failed: 1 })
  t.match(await stateOf(ids.busy), { state: 'failed', attempts: 6, body: /Hallo/ }, 'the mail can be resent manually')
})

t.test('a fault of the server delays all mails without counting attempts', async (t) => {
  const id = await plan(await person())
  const other = await plan(await person(), { day: '2026-11-27' })
  const plain = await startMailServer(t, { disabledCommands: ['STARTTLS', 'AUTH'] })
  const foreign = await startMailServer(t, { cert: CERTIFICATE_OF_ANOTHER })
  const strict = await startMailServer(t, { authOptional: false })
  const refusing = await startMailServer(t, {
    onMailFrom: (_address, _session, done) =>
      done(Object.assign(new Error('5.7.1 Sender not allowed'), { responseCode: 553 })),
  })
  const wrong = { username: 'training', password: 'falsches-passwort' }
  const faults: [string, MailSettings, RegExp][] = [
    ['down', server.settings({ port: 1 }), /^Der Mailserver ist nicht zu erreichen: .*ECONNREFUSED/],
    ['unknown name', server.settings({ host: 'mail.invalid' }), /^Der Mailserver ist nicht zu erreichen: /],
    [
      'wrong password',
      server.settings({ login: wrong }),
      /^Die Anmeldung beim Mailserver ist gescheitert: 535 5\.7\.8 Bad/,
    ],
    ['no authority', server.settings({ ca: undefined }), /^Die verschlüsselte Verbindung .*certificate/],
    ['other name', foreign.settings(), /^Die verschlüsselte Verbindung .*other\.example/],
    ['no STARTTLS', plain.settings(), /^(Die verschlüsselte Verbindung|Der Mailserver ist nicht zu erreichen).*/],
    ['login needed', strict.settings({ login: undefined }), /530/],
    ['sender', refusing.settings(), /^Der Mailserver nimmt von diesem Absender keine Mails an: 553 5\.7\.1 Sender/],
  ]
  for (const [name, settings, answer] of faults) {
    errors.length = 0
    await send(settings)
    const { state, attempts, next_attempt_at, ...rest } = await stateOf(id)
    t.match({ state, attempts }, { state: 'waiting', attempts: 0 }, name)
    t.match(rest.answer, answer, name)
    t.notMatch(rest.answer, wrong.password, name)
    t.equal(next_attempt_at.getTime(), now.getTime() + 5 * 60_000, name)
    t.match(await stateOf(other), { state: 'failed', body: /Hallo/ }, 'too late for this mail')
    t.equal(errors.length, 1)
    now = next_attempt_at
  }
  t.match(await send(server.settings({ security: 'off', login: undefined })), { sent: 1 }, 'the fault is over')
  t.equal(server.received[0]?.isEncrypted, false)
})

t.test('connects with TLS from the first byte', async (t) => {
  const tls = await startMailServer(t, { secure: true })
  await plan(await person())
  t.match(await send(tls.settings({ security: 'force_tls' })), { sent: 1 })
  t.equal(tls.received[0]?.isEncrypted, true)
})

t.test('a connection that breaks after the text leaves the mail unknown', async (t) => {
  const id = await plan(await person())
  const next = await plan(await person())
  let cuts = 0
  server.onMail = () => {
    if (cuts++ > 0) return undefined
    server.cut()
    return { code: 250, text: 'too late' }
  }
  t.match(await send(server.settings()), { sent: 1, unknown: 1 }, 'the next one is sent over a new connection')
  t.match(await stateOf(id), { state: 'unknown', body: /Hallo/, answer: /vielleicht ist die Mail angekommen/ })
  t.match(await stateOf(next), { state: 'sent' })
})

t.test(
  'after a crash a mail is unknown and not sent again; a stopping service finishes the current mail',
  async (t) => {
    const id = await plan(await person())
    await db.updateTable('mails').set({ state: 'sending', claimed_at: now, attempts: 1 }).where('id', '=', id).execute()
    t.strictSame(await send(undefined), { sent: 0, postponed: 0, failed: 0, unknown: 1 })
    t.match(await stateOf(id), { state: 'unknown', body: /Hallo/ })

    const flying = await plan(await person())
    const waiting = await plan(await person())
    const stopping = new AbortController()
    server.onMail = () => {
      stopping.abort(new Error('the service stops'))
      return undefined
    }
    await t.rejects(send(server.settings(), { signal: stopping.signal }), { message: 'the service stops' })
    t.match(await stateOf(flying), { state: 'sent' })
    t.match(await stateOf(waiting), { state: 'waiting', attempts: 0 })
  },
)

t.test('a stalling server delays the stop by at most 5 s', async (t) => {
  let delays: unknown[] = []
  const asked = await plan(await person())
  const stopping = new AbortController()
  server.onRecipient = () => {
    delays = abortAndPassTime(stopping)
    return new Promise(() => {})
  }
  await t.rejects(send(server.settings(), { signal: stopping.signal }), { message: 'the service stops' })
  t.strictSame(delays, [5_000])
  t.match(await stateOf(asked), { state: 'waiting', attempts: 0 }, 'its text was not sent')
  const written = new AbortController()
  server.onRecipient = () => undefined
  server.onMail = () => {
    delays = abortAndPassTime(written)
    return new Promise(() => {})
  }
  await t.rejects(send(server.settings(), { signal: written.signal }), { message: 'the service stops' })
  t.strictSame(delays, [5_000])
  t.match(await stateOf(asked), { state: 'unknown' })
})

t.test('several runs at once send each mail once', async (t) => {
  for (let i = 0; i < 20; i++) await plan(await person())
  const runs = Array.from({ length: 4 }, () => send(server.settings()))
  let returned = 0
  // The server accepts the first mail when all other runs have returned.
  const othersReturned = new Promise<undefined>((resolve) => {
    for (const run of runs) void run.then(() => ++returned === 3 && resolve(undefined))
  })
  server.onMail = () => othersReturned
  t.match(
    (await Promise.all(runs)).filter((summary) => summary !== undefined),
    [{ sent: 20 }],
    'the other runs do nothing',
  )
  t.equal(server.received.length, 20)
  t.equal(new Set(server.received.map(({ headers }) => headers['message-id'])).size, 20)
})

t.test('drops unwanted and outdated mails, and sends none on a simulated day', async (t) => {
  const disabled = await plan(await person('weg', { disabled_on: DAY }))
  const unsubscribed = await plan(await person(), { kind: 'due_cards' })
  const withoutAddress = await plan(await person('ohne', { email: null }))
  const moved = await plan(await person('neu', { email: 'neu@example.org' }))
  const address = 'bestaetigen@example.org'
  const confirming = await person('neu', { email: null })
  const replaced = await plan(confirming, { kind: 'confirm_address', address })
  const confirmation = await plan(confirming, { kind: 'confirm_address', address })
  const takenBack = await plan(await person(), { kind: 'confirm_address', address: 'verschrieben@example.org' })
  await db
    .insertInto('address_confirmations')
    .values({ user_id: confirming, address, token_hash: Buffer.alloc(32), expires_at: now })
    .execute()
  const late = await person('spät', { email: 'spaet@example.org' })
  const yesterday = await plan(late, { day: '2026-12-01', body: 'morgen fällig' })
  const latest = await plan(late)
  t.strictSame(await send(server.settings(), { isMailHeld: true }), { sent: 0, postponed: 0, failed: 0, unknown: 0 })
  t.strictSame(await send(server.settings()), { sent: 3, postponed: 0, failed: 6, unknown: 0 })
  for (const id of [disabled, unsubscribed, withoutAddress, replaced, takenBack, yesterday])
    t.match(await stateOf(id), { state: 'failed', body: null })
  t.match(await stateOf(yesterday), { answer: 'Eine neuere Mail ersetzt diese' })
  for (const id of [moved, confirmation, latest]) t.match(await stateOf(id), { state: 'sent' })
  t.strictSame(server.received.map(({ to }) => to).sort(), [
    ...['bestaetigen@example.org', 'neu@example.org', 'spaet@example.org'],
  ])
})

t.test('deletes mails after 90 days', async (t) => {
  const old = await plan(await person())
  await plan(await person())
  await db
    .updateTable('mails')
    .set({ created_at: new Date(now.getTime() - 91 * 86_400_000) })
    .where('id', '=', old)
    .execute()
  const context = { moment: (at = now) => ({ at, today: dayOf(at) }), timeZone: 'Europe/Berlin' }
  const rest = { answersKeepDays: 90, defaultLanguage: 'de', resultsKeep: 'all', onError: () => {} } as const
  const deleted = await runJob(db, JOBS.mails, { ...context, ...rest, signal: new AbortController().signal })
  t.strictSame(deleted, { deleted: 1 })
})
