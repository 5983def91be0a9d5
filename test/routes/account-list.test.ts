import { sql } from 'kysely'
import t from 'tap'
import { VERSION } from '../../src/http/version.js'
import { countStatements, createDatabaseToSpoil, TEST_DATABASE_URL } from '../support/database.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { callerOf, errorBody, startService } from '../support/service.js'

const counter = countStatements(await createDatabaseToSpoil())
let instant = new Date('2026-11-21T12:00:00Z')
const service = await startService(t, { database: counter.database, now: () => instant })
const { anonymous, app, db } = service
const admin = await service.admin()
const FORBIDDEN = errorBody(403, 'Administratorrechte erforderlich')

const list = async (query = '') => (await admin.get(`/api/accounts${query}`)).body
const namesOf = async (query: string) => (await list(query)).users.map((user: { username: string }) => user.username)

t.test('administrators search, sort and page users', async (t) => {
  for (const [username, display_name] of [
    ['zoe', 'Zoë Ärmlich'],
    ['Anna', 'Anna Zöller'],
    ['ändu', 'Ändu'],
    ['bert', '100% _Bert_ \\ Groß'],
    ['a\u0308nne', 'Zerlegt'],
  ] as const) {
    await createUser(db, { username, display_name })
  }
  const all = await list()
  t.equal(all.total, 6)
  t.match(
    all.users.find((user: { username: string }) => user.username === 'zoe'),
    { id: Number, display_name: 'Zoë Ärmlich', is_admin: false, must_change_password: false, last_seen_on: null },
  )
  t.strictSame(Object.keys(all.users[0]).sort(), [
    ...[
      'auditor_until',
      'created_at',
      'disabled_on',
      'display_name',
      'email',
      'email_confirmed_at',
      'external_id',
      'extra_time_percent',
      'id',
      'is_admin',
      'is_auditor',
      'is_author',
      'last_seen_on',
      'must_change_password',
      'personnel_number',
      'sign_in',
    ],
    'username',
  ])
  for (const [q, expected] of [
    ['ÄRM', ['zoe']],
    ['zo', ['zoe']],
    ['ZÖ', ['Anna']],
    ['änne', ['a\u0308nne']],
    ['A\u0308ND', ['ändu']],
    ['%', ['bert']],
    ['_', ['bert']],
    ['\\', ['bert']],
    [' groß ', ['bert']],
    ['niemand', []],
    ['\0', []],
    ['\ud800', []],
  ] as const) {
    t.strictSame(await namesOf(`?q=${encodeURIComponent(q.toWellFormed() === q ? q : '\ufffd')}`), expected, q)
  }
  t.strictSame((await list('?q=z')).total, 3)
  const names = (await namesOf('')).filter((name: string) => !name.startsWith('user-'))
  t.strictSame(names, ['ändu', 'Anna', 'a\u0308nne', 'bert', 'zoe'].sort(new Intl.Collator('de').compare))
  t.strictSame(await namesOf('?order=desc'), (await namesOf('')).reverse())
  t.strictSame(await namesOf('?sort=display_name&q=z'), ['Anna', 'a\u0308nne', 'zoe'])
  t.strictSame((await namesOf('?sort=created_at')).slice(0, 3), [...(await byId()).slice(0, 3)])
  t.strictSame(await namesOf('?limit=2&offset=1'), (await namesOf('')).slice(1, 3))
  t.strictSame(await list('?offset=100'), { users: [], total: 6 }, 'the total is returned even after the last page')
  t.equal((await list('?limit=1000')).users.length, 6)
})

async function byId(): Promise<string[]> {
  const users = await db.selectFrom('users').select('username').orderBy('id').execute()
  return users.map(({ username }) => username)
}

t.test('reports invalid queries', async (t) => {
  for (const [query, message] of [
    ['sort=password_hash', 'Der Parameter „sort“ muss eines von username, display_name, created_at, last_seen_on sein'],
    ['order=up', 'Der Parameter „order“ muss eines von asc, desc sein'],
    ['limit=x', 'Der Parameter „limit“ muss eine Zahl sein'],
    ['offset=x', 'Der Parameter „offset“ muss eine Zahl sein'],
  ] as const) {
    t.strictSame((await admin.get(`/api/accounts?${query}`)).body, errorBody(400, message))
  }
  const member = await service.member()
  for (const url of ['/api/accounts', '/api/accounts/', '/api/accounts?limit=x', '/api/accounts/service']) {
    t.strictSame((await member.get(url)).body, FORBIDDEN)
    t.strictSame((await anonymous.get(url)).body, errorBody(401, 'Nicht angemeldet'))
  }
  const { token } = (await admin.post('/api/auth/tokens', { name: 'x', scopes: ['read'] })).body
  t.equal((await callerOf(app, undefined, token).get('/api/accounts')).status, 403)
})

t.test('records the last activity once a day, in the time zone of the service', async (t) => {
  const user = await createUser(db)
  const seen = async () =>
    (await db.selectFrom('users').select('last_seen_on').where('id', '=', user.id).executeTakeFirstOrThrow())
      .last_seen_on
  const caller = await service.loginAs(user.username)
  const { token } = (await caller.post('/api/auth/tokens', { name: 'x' })).body
  const script = callerOf(app, undefined, token)
  t.equal(await seen(), '2026-11-21', 'recorded by the login')
  t.equal(await counter.countOf(() => caller.get('/api/auth/me')), 2)

  instant = new Date('2026-11-21T22:59:59Z')
  t.equal(await counter.countOf(() => script.get('/api/auth/me')), 2, 'still the same day in Berlin')
  instant = new Date('2026-11-21T23:00:00Z')
  t.equal(await counter.countOf(() => script.get('/api/auth/me')), 3)
  t.equal(await seen(), '2026-11-22')
  t.equal(await counter.countOf(() => caller.get('/api/auth/me')), 2)
  instant = new Date('2026-11-20T12:00:00Z')
  t.equal(await counter.countOf(() => caller.get('/api/auth/me')), 2, 'a clock that was set back changes nothing')
  t.equal(await seen(), '2026-11-22')

  instant = new Date('2026-11-23T12:00:00Z')
  await anonymous.post('/api/auth/login', { username: user.username, password: 'falsches Wort' })
  t.equal(await seen(), '2026-11-22', 'a refused login does not count as a visit')
  t.equal((await caller.get('/api/admin/users')).status, 403)
  t.equal(await seen(), '2026-11-23', 'a forbidden request of a logged-in user counts as a visit')
  const found = await list(`?q=${user.username}`)
  t.equal(found.users[0].last_seen_on, '2026-11-23')
  const first = (await list('?sort=last_seen_on')).users[0]
  t.equal(first.last_seen_on, null)
  t.not((await list('?sort=last_seen_on&order=desc')).users[0].last_seen_on, null)
})

t.test('a failed activity record does not fail the request', async (t) => {
  const user = await createUser(db)
  const caller = await service.loginAs(user.username)
  await sql`
    create function refuse_note() returns trigger language plpgsql as $$
    begin raise exception 'nothing is written today'; end $$`.execute(db)
  await sql`create trigger refuse_note before update of last_seen_on on users execute function refuse_note()`.execute(
    db,
  )
  instant = new Date('2026-11-24T12:00:00Z')
  const { status } = await caller.get('/api/decks')
  await sql`drop function refuse_note cascade`.execute(db)
  t.equal(status, 200)
  t.equal((await caller.get('/api/decks')).status, 200)
  t.equal((await list(`?q=${user.username}`)).users[0].last_seen_on, '2026-11-24')
})

t.test(
  'the activity record does not wait for a locked row',
  { skip: TEST_DATABASE_URL === undefined && 'the embedded database has one connection' },
  async (t) => {
    const user = await createUser(db)
    const caller = await service.loginAs(user.username)
    instant = new Date('2026-11-25T12:00:00Z')
    await db.transaction().execute(async (transaction) => {
      await transaction.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
      t.equal((await caller.get('/api/auth/me')).status, 200)
    })
    t.equal((await list(`?q=${user.username}`)).users[0].last_seen_on, '2026-11-24')
  },
)

t.test('filters the audit trail by action, actor and page', async (t) => {
  const other = await service.admin()
  const name = (await other.get('/api/auth/me')).body.user.username
  const create = async (by: typeof admin, username: string) =>
    (await by.post('/api/admin/users', { username, display_name: 'x', password: PASSWORD })).body.id
  const ids = [
    await create(other, 'protokoll-1'),
    await create(admin, 'protokoll-2'),
    await create(other, 'protokoll-3'),
  ]
  await other.patch(`/api/accounts/${ids[0]}`, { display_name: 'y' })
  const entries = async (query: string) => (await admin.get(`/api/accounts/audit?${query}`)).body.entries
  const targetsOf = async (query: string) => (await entries(query)).map((entry: { target: string }) => entry.target)
  t.strictSame(await targetsOf('action=user.create&limit=3'), ['protokoll-3', 'protokoll-2', 'protokoll-1'])
  t.strictSame(await targetsOf(`actor=${name}`), ['protokoll-1', 'protokoll-3', 'protokoll-1'])
  t.strictSame(await targetsOf(`actor=${name}&action=user.create`), ['protokoll-3', 'protokoll-1'])
  const [newest] = await entries(`actor=${name}&limit=1`)
  t.strictSame(await targetsOf(`actor=${name}&before=${newest.id}`), ['protokoll-3', 'protokoll-1'])
  for (const query of ['action=none', 'actor=%00', 'before=0', 'before=-5']) t.strictSame(await entries(query), [])
  t.strictSame(await entries('action=&actor=&before='), await entries(''))
  t.strictSame(
    (await admin.get('/api/accounts/audit?before=x')).body,
    errorBody(400, 'Der Parameter „before“ ist ungültig'),
  )
})

t.test('administrators see the state of the service', async (t) => {
  const learner = await createUser(db)
  const before = (await admin.get('/api/accounts/service')).body
  await sql`
    insert into review_log (user_id, card_id, kind, rating, phase, studied_on, created_at, before, after, answer)
    values (${learner.id}, 1, 'review', 'easy', 'new', '2026-11-21', now(), null, '{}', '{}')`.execute(db)
  t.equal(await counter.countOf(() => admin.get('/api/accounts/service')), 3)
  const { body } = await admin.get('/api/accounts/service')
  t.match(body, {
    version: VERSION,
    started_at: '2026-11-21T12:00:00.000Z',
    database: { kind: TEST_DATABASE_URL === undefined ? 'embedded' : 'postgresql', version: /^\d+\.\d+/ },
    time_zone: 'Europe/Berlin',
  })
  t.ok(body.database.size_bytes > 1_000_000)
  t.equal(body.users, (await list()).total)
  t.equal(body.learners - before.learners, 1)
})
