import { sql } from 'kysely'
import t from 'tap'
import { addLoginFailure } from '../../db/queries/accounts/login-failures.js'
import { buildApp } from '../../src/app.js'
import { loginAttempt } from '../../src/domain/accounts/login-limits.js'
import { limitGuesses } from '../../src/services/accounts/limit-guesses.js'
import { SECRET } from '../support/constants.js'
import { createMigratedDatabase } from '../support/database.js'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { CONFIG, callerOf, cookieOf, errorBody, startService } from '../support/service.js'

const database = await createMigratedDatabase()
const service = await startService(t, { database, config: { trustProxy: ['127.0.0.1'] } })
const { db } = service

const WRONG = errorBody(401, 'Benutzername oder Passwort falsch')
const LIMITED = errorBody(429, 'Zu viele Versuche, bitte später erneut')

let lastAddress = 0
function newAddress(): string {
  lastAddress++
  return `203.0.${lastAddress >> 8}.${lastAddress & 255}`
}

function login(username: string, password: string, address: string) {
  const headers = { 'x-forwarded-for': address }
  return service.anonymous.post('/api/auth/login', { username, password }, { headers })
}

/** Sends wrong passwords, with less than a delay between them. Returns the statuses. */
async function fail(times: number, username: string, address: string): Promise<number[]> {
  const statuses = []
  for (let i = 0; i < times; i++) {
    statuses.push((await login(username, `falsch ${i}`, address)).status)
    await holdLoginLimits(db)
  }
  return statuses
}

/** Sets all counters to the state in which their last failure was so many seconds ago. */
async function pass(seconds: number): Promise<void> {
  await sql`
    update login_failures set changed_at = at, blocked_until = at + (blocked_until - changed_at)
    from (select now() - make_interval(secs => ${seconds}) as at) as earlier`.execute(db)
}

/** Returns the longest delay in seconds that failures from an address cause. */
async function delayOf(network: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select max(extract(epoch from blocked_until - changed_at))::integer as seconds
    from login_failures where network = ${network}`.execute(db)
  return rows[0]?.seconds ?? 0
}

t.test('five failures are forgiven and cleared by the right password', async (t) => {
  const { username } = await createUser(db)
  const address = newAddress()
  for (let round = 0; round < 3; round++) {
    t.strictSame(await fail(5, username, address), Array(5).fill(401))
    t.equal((await login(` ${username} `, PASSWORD, address)).status, 200)
  }
})

t.test('the networks of one /48 share a more generous limit', async (t) => {
  const { username } = await createUser(db)
  const statuses = []
  for (let i = 0; i < 24; i++) statuses.push(...(await fail(1, username, `2001:db8:77:${i.toString(16)}::1`)))
  t.strictSame(statuses, [...Array(21).fill(401), ...Array(3).fill(429)])
  t.equal((await login(username, PASSWORD, '2001:db8:77:ffff::1')).status, 429)
  t.equal((await login(username, PASSWORD, '2001:db8:78::1')).status, 200, 'another network is not limited')
  const other = await createUser(db)
  t.equal((await login(other.username, PASSWORD, '2001:db8:77:1::1')).status, 200, 'other accounts are not limited')
})

t.test('all names together have a limit in one /48', async (t) => {
  const row = { network: '2001:db8:79::/48', account_hash: Buffer.alloc(0), score: 299 }
  await db.insertInto('login_failures').values(row).execute()
  t.strictSame(await fail(1, unique('x'), '2001:db8:79:1::1'), [401])
  t.strictSame(await fail(1, unique('x'), '2001:db8:79:2::1'), [401])
  t.strictSame(await fail(1, unique('x'), '2001:db8:79:3::1'), [429])
})

t.test('the right password gets 429 while limited', async (t) => {
  const { username } = await createUser(db)
  const address = newAddress()
  t.strictSame(await fail(8, username, address), [401, 401, 401, 401, 401, 401, 429, 429])
  const response = await login(username, PASSWORD, address)
  t.strictSame([response.status, response.body], [429, LIMITED])
  const wait = Number(response.headers['retry-after'])
  t.ok(wait >= 1 && wait <= 310, `Retry-After: ${wait}`)
  t.equal(await delayOf(address), 10)
  t.notOk(response.headers['set-cookie'])

  await pass(10)
  t.equal((await login(username, PASSWORD, address)).status, 200)
  t.strictSame(await fail(5, username, address), Array(5).fill(401), 'the counters are reset')
})

t.test('delays grow to a quarter of an hour and decay', async (t) => {
  const { username } = await createUser(db)
  const address = newAddress()
  await fail(5, username, address)
  const delays = []
  for (let i = 0; i < 10; i++) {
    t.strictSame(await fail(1, username, address), [401])
    t.equal((await login(username, PASSWORD, address)).status, 429)
    delays.push(await delayOf(address))
    await pass(delays.at(-1) as number)
  }
  t.strictSame(delays, [10, 20, 40, 80, 160, 320, 640, 900, 900, 900])
  await pass(8 * 3600)
  t.strictSame(await fail(6, username, address), Array(6).fill(401))
})

t.test('an attacker cannot lock an account for other addresses', async (t) => {
  const { username } = await createUser(db)
  const [stranger, owner] = [newAddress(), newAddress()]
  await fail(7, username, stranger)
  t.equal((await login(username, PASSWORD, stranger)).status, 429)
  t.equal((await login(username, PASSWORD, owner)).status, 200)
  t.equal(
    (await login(username, PASSWORD, stranger)).status,
    429,
    "the owner's login does not reset the attacker's limit",
  )
})

t.test('an unknown account is limited like an existing one', async (t) => {
  const username = unique('niemand')
  const address = newAddress()
  t.strictSame(await fail(8, username, address), [401, 401, 401, 401, 401, 401, 429, 429])
  t.strictSame((await login(username, 'x', newAddress())).body, WRONG)
})

t.test('many users behind one address may mistype, but trying all names is limited', async (t) => {
  const address = newAddress()
  const { username } = await createUser(db)
  for (let i = 0; i < 20; i++) {
    t.equal((await login(unique('kollege'), 'falsch', address)).status, 401)
    if (i % 5 === 0) t.equal((await login(username, PASSWORD, address)).status, 200)
  }
  t.equal((await login(username, PASSWORD, address)).status, 200)

  await db
    .updateTable('login_failures')
    .set({ score: 99.5 })
    .where('network', '=', address)
    .where('account_hash', '=', Buffer.alloc(0))
    .execute()
  t.strictSame(await fail(1, unique('kollege'), address), [401])
  t.strictSame((await login(username, PASSWORD, address)).body, LIMITED)
  t.equal(await delayOf(address), 1)
  await pass(1)
  t.equal((await login(username, PASSWORD, address)).status, 200)
  t.strictSame(await fail(1, unique('kollege'), address), [401])
  t.equal((await login(username, PASSWORD, address)).status, 429)
  t.equal(await delayOf(address), 2, 'a login does not reset the address')
  await pass(3600)
  t.strictSame(await fail(20, unique('kollege'), address).then((all) => all.slice(0, 6)), Array(6).fill(401))
})

t.test('IPv6 counts by /64, and mapped IPv4 as IPv4', async (t) => {
  const { username } = await createUser(db)
  t.strictSame(await fail(6, username, '2001:db8:1:2::1'), Array(6).fill(401))
  t.equal((await login(username, PASSWORD, '2001:db8:1:2:ffff:ffff:ffff:ffff')).status, 429)
  t.equal((await login(username, PASSWORD, '2001:db8:1:3::1')).status, 200)

  const address = newAddress()
  await fail(6, username, `::ffff:${address}`)
  t.equal((await login(username, PASSWORD, address)).status, 429)
  t.equal((await login(username, PASSWORD, `::ffff:${newAddress()}`)).status, 200)
})

t.test('a forwarded address may be any text', async (t) => {
  const { username } = await createUser(db)
  for (const address of ['unknown', 'ä'.repeat(5_000), '1.2.3.4:55', 'fe80::1%eth0', '::', "'; drop table users"]) {
    t.equal((await login(username, 'falsch', address)).status, 401, address.slice(0, 20))
    t.equal((await login(username, PASSWORD, address)).status, 200)
  }
})

t.test('of parallel attempts, none is judged after the limit is reached', async (t) => {
  const { username } = await createUser(db)
  const address = newAddress()
  await fail(5, username, address)
  // The next failure has the longest delay.
  await db.updateTable('login_failures').set({ score: 14 }).where('network', '=', address).execute()
  const guesses = await Promise.all(Array.from({ length: 20 }, (_, i) => login(username, `falsch ${i}`, address)))
  t.strictSame(guesses.map(({ status }) => status).sort(), [401, ...Array(19).fill(429)])

  const attempt = loginAttempt(newAddress(), username)
  const right = limitGuesses(db, attempt, async () => {
    for (let i = 0; i < 6; i++) await addLoginFailure(db, attempt)
    return 'right'
  })
  await t.rejects(
    right,
    { code: 'too_many_attempts' },
    'a right password that is still being verified is refused as well',
  )
})

t.test('parallel right passwords all succeed', async (t) => {
  const { username } = await createUser(db)
  const address = newAddress()
  await fail(5, username, address)
  const logins = await Promise.all(Array.from({ length: 8 }, () => login(username, PASSWORD, address)))
  t.ok(logins.every((response) => response.status === 200))
})

t.test('all instances share the limits', async (t) => {
  const second = await buildApp({
    sessionSecrets: [SECRET],
    logger: false,
    maxDelayMs: 60_000,
    database: { ...database, close: async () => {} },
    config: { ...CONFIG, trustProxy: ['127.0.0.1'] },
  })
  t.teardown(() => second.close())
  const { username } = await createUser(db)
  const address = newAddress()
  await fail(6, username, address)
  const response = await second.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'x-forwarded-for': address },
    payload: { username, password: PASSWORD },
  })
  t.strictSame(response.json(), LIMITED)
})

t.test('guesses at the current password are limited like logins, per address', async (t) => {
  const user = await createUser(db)
  let caller = await service.loginAs(user.username)
  const [screen, owner] = [newAddress(), newAddress()]
  const change = (current_password: string, address: string, new_password = PASSWORD) =>
    caller.post('/api/auth/password', { current_password, new_password }, { headers: { 'x-forwarded-for': address } })
  const statuses = []
  for (let i = 0; i < 8; i++) {
    statuses.push((await change(`falsch ${i}`, screen)).status)
    await holdLoginLimits(db)
  }
  t.strictSame(statuses, [400, 400, 400, 400, 400, 400, 429, 429])
  const limited = await change(PASSWORD, screen)
  t.strictSame([limited.status, limited.body], [429, LIMITED], 'the right one is not confirmed')
  t.ok(Number(limited.headers['retry-after']) >= 1)
  t.match(await change('x', screen, '12345'), { status: 400 }, 'an invalid request is still reported')
  t.equal((await login(user.username, PASSWORD, screen)).status, 429, 'login and password change share one limit')

  t.equal((await login(user.username, PASSWORD, owner)).status, 200, 'the owner can log in from another address')
  const changed = await change(PASSWORD, owner)
  t.equal(changed.status, 200)
  caller = callerOf(service.app, cookieOf(changed))
  await pass(10)
  t.equal((await change(PASSWORD, screen)).status, 200)
  t.strictSame(await fail(5, user.username, screen), Array(5).fill(401), 'the right password resets the failures')
})

t.test('all spellings of a name share a limit', async (t) => {
  const { username } = await createUser(db, { username: unique('Jürgen Größe') })
  const address = newAddress()
  await fail(3, username.normalize('NFC'), address)
  await fail(3, username.normalize('NFD'), address)
  t.equal((await login(username, PASSWORD, address)).status, 429)
})

t.test('stores neither names nor passwords', async (t) => {
  const secret = unique('passwort-im-namensfeld')
  await fail(1, secret, newAddress())
  const rows = await db.selectFrom('login_failures').selectAll().execute()
  t.notMatch(JSON.stringify(rows), secret)
  t.ok(rows.every(({ account_hash }) => [0, 32].includes(account_hash.length)))
})

t.test('a clock that was ahead limits no login after its correction', async (t) => {
  const year = 365 * 24 * 3600
  const { username } = await createUser(db)
  const [limited, mistyped] = [newAddress(), newAddress()]
  await fail(8, username, limited)
  await fail(3, username, mistyped)
  await pass(-year)
  t.equal((await login(username, PASSWORD, limited)).status, 200)
  t.strictSame(await fail(1, username, mistyped), [401])
  t.equal((await login(username, PASSWORD, mistyped)).status, 200)
  t.strictSame(await fail(7, username, limited), [401, 401, 401, 401, 401, 401, 429], 'the limit still applies')
})
