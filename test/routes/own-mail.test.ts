import { sql } from 'kysely'
import t from 'tap'
import { unique } from '../support/factories.js'
import { type Caller, callerOf, startService } from '../support/service.js'

const mail = {
  host: 'mail.example.org',
  port: 587,
  security: 'starttls' as const,
  login: undefined,
  from: 'training@example.org',
  fromName: undefined,
  replyTo: undefined,
  company: undefined,
  ca: undefined,
}
const publicUrl = 'https://training.example.org/'
let now = new Date()
const service = await startService(t, { now: () => now, config: { mail, publicUrl } })
const { app, db, anonymous } = service
const NOTHING = { configured: true, email: null, confirmed: false, pending: null, due_cards: false }

const put = (caller: Caller, url: string, payload: object) => caller.send({ method: 'PUT', url, payload })
const remove = (caller: Caller, url: string) => caller.send({ method: 'DELETE', url })

/**
 * Returns the confirmation token in the latest mail to an address, or an empty string if the mail has none.
 * @throws Error if there is no mail to the address
 */
async function tokenFor(address: string): Promise<string> {
  const { body } = await db
    .selectFrom('mails')
    .select('body')
    .where('address', '=', address)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return body?.match(/\/mail\/bestaetigen#(\S+)/)?.[1] ?? ''
}

t.test('an address is used only after confirmation by its link', async (t) => {
  const person = await service.member()
  t.strictSame((await person.get('/api/mail/mine')).body, NOTHING)
  const address = `${unique('erika')}@example.org`
  const asked = await person.post('/api/mail/address', { email: ` ${address} ` })
  t.match(asked, { status: 200, body: { email: null, pending: { address } } })
  const token = await tokenFor(address)
  t.match(token, /^[\w-]{43}$/)
  const stored = await sql<{
    text: string
  }>`select address_confirmations::text as text from address_confirmations`.execute(db)
  t.notMatch(JSON.stringify(stored.rows), token, 'the token is stored as a hash')
  t.equal((await anonymous.get(`/api/mail/confirm?token=${token}`)).status, 404, 'a GET request does nothing')
  for (const wrong of ['', 'x', `${token}x`, token.slice(1), 'a'.repeat(43), '\0', token.toUpperCase()]) {
    t.match(await anonymous.post('/api/mail/confirm', { token: wrong }), {
      status: 404,
      body: { message: /gilt nicht mehr/ },
    })
  }
  t.strictSame((await anonymous.post('/api/mail/confirm', { token })).body, { email: address })
  t.equal((await anonymous.post('/api/mail/confirm', { token })).status, 404, 'once')
  t.match((await person.get('/api/mail/mine')).body, { email: address, confirmed: true, pending: null })
  t.match((await person.get('/api/accounts/me/data')).body, {
    user: { email: address, unconfirmed_email: null, due_cards_mail: false },
    mails: [{ kind: 'confirm_address', address, state: 'waiting' }],
  })

  // The response does not reveal that another person uses the address. A request for the person's own address sends no
  // mail.
  const other = await service.member()
  t.match(await other.post('/api/mail/address', { email: address }), { status: 200, body: { pending: { address } } })
  t.match(await person.post('/api/mail/address', { email: address }), { status: 200, body: { pending: null } })
  t.match((await remove(other, '/api/mail/address/pending')).body, NOTHING)
  t.equal(
    (await anonymous.post('/api/mail/confirm', { token: await tokenFor(address) })).status,
    404,
    'after the request was cancelled',
  )
  t.match((await remove(person, '/api/mail/address')).body, NOTHING)
  t.match((await remove(person, '/api/mail/address')).body, NOTHING, 'again')
})

t.test(
  'a link expires after a day, another request or a change by an administrator, and for disabled accounts',
  async (t) => {
    const admin = await service.admin()
    const person = await service.member()
    const url = `/api/accounts/${person.id}`
    const ask = async () => {
      await db.deleteFrom('mails').execute()
      const address = `${unique('neu')}@example.org`
      t.equal((await person.post('/api/mail/address', { email: address })).status, 200)
      return tokenFor(address)
    }
    const confirm = async (token: string) => (await anonymous.post('/api/mail/confirm', { token })).status

    let token = await ask()
    now = new Date(now.getTime() + 24 * 3_600_000)
    t.equal(await confirm(token), 404, 'after a day')
    t.equal((await person.get('/api/mail/mine')).body.pending, null)
    token = await ask()
    const second = await ask()
    t.equal(await confirm(token), 404, 'replaced')
    await admin.patch(url, { email: 'werkstatt@example.org' })
    t.equal(await confirm(second), 404, 'after a change by an administrator')
    t.match((await person.get('/api/mail/mine')).body, {
      email: 'werkstatt@example.org',
      confirmed: false,
      pending: null,
    })
    t.match(await remove(person, '/api/mail/address'), { status: 409, body: { message: /Verwaltung/ } })
    token = await ask()
    await admin.patch(url, { disabled_on: '2020-01-01' })
    t.equal(await confirm(token), 404, 'disabled')
    await admin.patch(url, { disabled_on: null })
    t.equal(await confirm(token), 200, 'after the account was enabled again')

    const raced = await service.member()
    await raced.post('/api/mail/address', { email: 'gleich@example.org' })
    const racing = await tokenFor('gleich@example.org')
    const [a, b, c] = await Promise.all([
      confirm(racing),
      confirm(racing),
      admin.patch(`/api/accounts/${raced.id}`, { email: 'amt@example.org' }).then(({ status }) => status),
    ])
    t.ok(
      [a, b].filter((status) => status === 200).length <= 1 && c === 200,
      'concurrent confirmations succeed at most once',
    )
  },
)

t.test('refuses invalid addresses, too many requests, and tokens', async (t) => {
  const person = await service.member()
  for (const email of ['', 'erika', 'a b@c.de', 'a@b.de\r\nBcc: x@y.de', `${'a'.repeat(250)}@b.de`, 'a@b.de,c@d.de']) {
    t.match(await person.post('/api/mail/address', { email }), { status: 400 })
  }
  for (let count = 0; count < 4; count++) {
    t.equal((await person.post('/api/mail/address', { email: `${count}@opfer.example` })).status, 200)
  }
  t.match(await person.post('/api/mail/address', { email: '5@opfer.example' }), {
    status: 429,
    headers: { 'retry-after': '3600' },
  })
  for (let count = 0; count < 5; count++) {
    const another = await service.member()
    const { status } = await another.post('/api/mail/address', { email: 'Opfer@flut.example' })
    t.equal(status, count < 4 ? 200 : 429, 'at most four users per hour can enter the same address')
  }
  const { token } = (await person.post('/api/auth/tokens', { name: 'Skript' })).body
  const script = callerOf(app, undefined, token)
  t.equal((await script.get('/api/mail/mine')).status, 200)
  t.equal((await script.post('/api/mail/address', { email: 'x@example.org' })).status, 403)
  t.equal((await remove(script, '/api/mail/address')).status, 403)

  const off = await startService(t, { config: { mail: undefined, publicUrl } })
  const lonely = await off.member()
  t.match((await lonely.get('/api/mail/mine')).body, { configured: false })
  t.match(await lonely.post('/api/mail/address', { email: 'x@example.org' }), { status: 409 })
})

t.test('the mail about due cards is ended by its key, in one click and without a login', async (t) => {
  const person = await service.member()
  const turn = async (on: boolean) => (await put(person, '/api/mail/due-cards', { on })).body.due_cards
  const isOn = async () => (await person.get('/api/mail/mine')).body.due_cards
  const keyOf = async () =>
    (await db.selectFrom('users').select('due_cards_mail_key').where('id', '=', person.id).executeTakeFirstOrThrow())
      .due_cards_mail_key as string
  t.equal(await turn(true), true)
  const key = await keyOf()
  t.equal(await turn(true), true)
  t.equal(await keyOf(), key, 'the links in earlier mails stay valid')
  for (const wrong of ['', 'x', 'a'.repeat(43), `${key}x`]) {
    t.strictSame(await unsubscribe(`?key=${wrong}`), [200, { ok: true }], 'the response to a wrong key is the same')
  }
  t.equal(await isOn(), true)
  t.equal((await anonymous.get(`/api/mail/unsubscribe?key=${key}`)).status, 404)
  t.equal(await isOn(), true, 'a GET request does nothing')
  const oneClick = 'List-Unsubscribe=One-Click'
  const multipart = `--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', oneClick],
    ['multipart/form-data; boundary=b', multipart],
    ['application/json', '{}'],
  ] as const) {
    await turn(true)
    t.strictSame(await unsubscribe(`?key=${await keyOf()}`, type, body), [200, { ok: true }])
    t.equal(await isOn(), false, type)
  }
  await turn(true)
  t.strictSame(await unsubscribe('', 'application/json', JSON.stringify({ key: await keyOf() })), [200, { ok: true }])
  t.equal(await isOn(), false, 'a request from the page')
  t.equal(await turn(false), false)

  async function unsubscribe(query: string, type = 'application/json', body = '{}') {
    const headers = { 'content-type': type }
    const response = await app.inject({ method: 'POST', url: `/api/mail/unsubscribe${query}`, headers, payload: body })
    return [response.statusCode, response.json()]
  }
})

t.test('the link to confirm an address comes in the language of the person', async (t) => {
  const subjectFor = async (inService: typeof service, headers: Record<string, string>, language?: 'de' | 'en') => {
    const person = await inService.member()
    if (language !== undefined) await person.patch('/api/accounts/me', { language })
    const address = `${unique('sprache')}@example.org`
    // Twice: the first request records the language of the app.
    await person.get('/api/mail/mine', { headers })
    t.equal((await person.post('/api/mail/address', { email: address }, { headers })).status, 200)
    const { subject, body } = await inService.db
      .selectFrom('mails')
      .select(['subject', 'body'])
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    t.match(body, /^https:\/\/training\.example\.org\/mail\/bestaetigen#[\w-]{43}$/m)
    return subject
  }
  const [german, english] = ['Bestätige deine E-Mail-Adresse', 'Confirm your email address']
  t.equal(await subjectFor(service, {}), german)
  t.equal(await subjectFor(service, { 'accept-language': 'de' }, 'en'), english)
  t.equal(await subjectFor(service, { 'accept-language': 'en-GB,de;q=0.5' }), english)
  t.equal(await subjectFor(service, { 'accept-language': 'en' }, 'de'), german)
  const abroad = await startService(t, { config: { mail, publicUrl, defaultLanguage: 'en' } })
  t.equal(await subjectFor(abroad, { 'accept-language': 'tr' }), english)
  t.equal(await subjectFor(abroad, { 'accept-language': 'de' }), german)
})
