import t from 'tap'
import { TEST_CA } from '../support/certificates.js'
import { stopMonotonicClock } from '../support/clock.js'
import { createUser } from '../support/factories.js'
import { LOGIN, startMailServer } from '../support/mail-server.js'
import { startService } from '../support/service.js'

const server = await startMailServer(t)
const mail = { ...server.settings(), ca: TEST_CA }
const service = await startService(t, { config: { mail, publicUrl: 'https://training.example.org/' } })
const { db } = service
const admin = await service.admin()
const NAME = '"><b>Erika</b>, \u202e'
const person = await createUser(db, { display_name: NAME, email: 'erika@example.org' })

async function insert(state: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown', body: string | null) {
  const { id } = await db
    .insertInto('mails')
    .values({
      user_id: person.id,
      kind: 'confirm_address',
      day: '2026-12-02',
      address: 'erika@example.org',
      state,
      body,
      subject: 'Geheimer Betreff',
      next_attempt_at: new Date('2026-12-02T06:00:00Z'),
      attempts: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

t.test('lists the outbox in pages, without the texts of the mails', async (t) => {
  await db.deleteFrom('mails').execute()
  const ids = [await insert('sent', null), await insert('unknown', 'Geheim'), await insert('failed', null)]
  const { body, text } = await admin.get('/api/mail/outbox?limit=2')
  t.match(body, {
    mails: [
      { id: ids[2], user: { id: person.id, username: person.username, display_name: NAME }, may_resend: false },
      { id: ids[1], kind: 'confirm_address', day: '2026-12-02', address: 'erika@example.org', may_resend: true },
    ],
    counts: { waiting: 0, sending: 0, sent: 1, failed: 1, unknown: 1 },
    configured: true,
    held: false,
    next_before: ids[1],
  })
  t.notMatch(text, /Geheim/)
  t.match((await admin.get(`/api/mail/outbox?limit=2&before=${ids[1]}`)).body, {
    mails: [{ id: ids[0] }],
    next_before: null,
  })
  t.strictSame(
    (await admin.get('/api/mail/outbox?state=failed')).body.mails.map(({ id }: { id: number }) => id),
    [ids[2]],
  )
  for (let number = 0; number < 60; number++) ids.push(await insert('sent', null))
  t.strictSame(
    (await admin.get('/api/mail/outbox?limit=200')).body.mails.map(({ id }: { id: number }) => id),
    ids.toReversed(),
  )
  t.equal((await admin.get('/api/mail/outbox?state=lost')).status, 400)
  t.equal((await admin.get('/api/mail/outbox?before=x')).status, 400)
  t.match((await admin.get('/api/accounts/service')).body.mail, { configured: true, failed: 1, unknown: 1 })
})

t.test('resends failed and unknown mails, with an audit entry', async (t) => {
  const unknown = await insert('unknown', 'Hallo')
  t.equal((await admin.post(`/api/mail/outbox/${unknown}/resend`)).status, 200)
  t.match(await db.selectFrom('mails').selectAll().where('id', '=', unknown).executeTakeFirst(), {
    state: 'waiting',
    attempts: 0,
    answer: null,
    claimed_at: null,
  })
  t.match((await admin.get('/api/accounts/audit?limit=1')).body.entries, [
    { action: 'mail.resend', target: person.username, target_id: person.id, details: { mail: unknown } },
  ])
  for (const [state, body] of [
    ['waiting', 'Hallo'],
    ['sending', 'Hallo'],
    ['sent', null],
    ['failed', null],
  ] as const) {
    const response = await admin.post(`/api/mail/outbox/${await insert(state, body)}/resend`)
    t.match(response, { status: 409, headers: { 'x-error-code': 'mail_not_resendable' } }, state)
  }
  t.equal((await admin.post('/api/mail/outbox/2147483647/resend')).status, 404)
  t.equal((await admin.post('/api/mail/outbox/x/resend')).status, 400)
})

t.test("sends a test mail and returns the server's reply, at a limited rate", async (t) => {
  stopMonotonicClock(t)
  const test = (to: string) => admin.post('/api/mail/test', { to })
  for (const to of ['erika', 'a@b\r\nBcc: c@d', '', 'a@example.org, b@example.org']) {
    t.equal((await test(to)).status, 400, to)
  }
  t.match(await test('chefin@example.org'), { status: 200, body: { ok: true, answer: /^250 / } })
  t.match(server.received.at(-1), { to: 'chefin@example.org', isEncrypted: true })
  server.onRecipient = () => ({ code: 550, text: `5.7.1 not for ${LOGIN.password}` })
  t.match(await test('chefin@example.org'), {
    status: 502,
    headers: {
      'x-error-code': 'mail_server_refuses',
      'x-error-details': '{"kind":"mail","reply":"550 5.7.1 not for ***"}',
    },
    body: { message: 'Der Mailserver hat die Mail nicht angenommen: 550 5.7.1 not for ***' },
  })
  t.match((await admin.get('/api/accounts/audit?action=mail.test')).body.entries, [
    { target: 'chefin@example.org' },
    { target: 'chefin@example.org' },
  ])
  server.onRecipient = () => undefined
  await admin.patch('/api/accounts/me', { language: 'en' })
  await test('chefin@example.org')
  t.equal(server.received.at(-1)?.headers.subject, 'Test email from Training', 'in the language of the administrator')
  await admin.patch('/api/accounts/me', { language: 'de' })
  await test('chefin@example.org')
  t.equal(server.received.at(-1)?.headers.subject, 'Testmail des Trainings')
  await test('chefin@example.org')
  const refused = await test('chefin@example.org')
  t.match(refused, { status: 429, headers: { 'retry-after': /^[1-9][0-9]?$/ } })
})

t.test('reports that no mail server is configured', async (t) => {
  const without = await startService(t, { config: { simulatedDate: '2027-01-01' } })
  const chef = await without.admin()
  t.match((await chef.get('/api/mail/outbox')).body, {
    mails: { length: 0 },
    configured: false,
    held: true,
    next_before: null,
  })
  t.match(await chef.post('/api/mail/test', { to: 'a@example.org' }), {
    status: 409,
    headers: { 'x-error-code': 'mail_not_configured' },
  })
})
