import t from 'tap'
import { ASSIGNMENT, assignedTest, createTeam, sheetPart, takeTest } from '../support/assignments.js'
import { createEditor, createSource } from '../support/editing.js'
import { createCard, createDeck } from '../support/factories.js'
import { listOperations } from '../support/roles.js'
import { type Caller, callerOf, type ServiceResponse, startService } from '../support/service.js'

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
const config = { mail, publicUrl: 'https://training.example.org/' }
const service = await startService(t, { config, now: () => new Date('2026-12-01T10:00:00Z') })
const { app, db } = service

type Person = Caller & { id: number; name: string }
async function named<T extends Caller & { id: number }>(caller: T, name: string): Promise<T & Person> {
  await db
    .updateTable('users')
    .set({ display_name: `Person ${name}` })
    .where('id', '=', caller.id)
    .execute()
  return Object.assign(caller, { name })
}
/** Creates five members one after another, so that their ids and names have the same order. */
async function createMembers(team: string): Promise<Person[]> {
  const persons: Person[] = []
  for (const index of [1, 2, 3, 4, 5]) persons.push(await named(await service.member(), `${team}${index}`))
  return persons
}

const [A, B] = [await createMembers('A'), await createMembers('B')]
const [leadA, learner, mate] = A as [Person, Person, Person]
const [leadB, stranger, leaver, late] = B as [Person, Person, Person, Person]
const responsible = await named(await service.member(), 'R')
const author = await named(await createEditor(service, await createSource(db)), 'U')
const admin = await named(await service.admin(), 'X')
const auditor = await named(await service.member(), 'P')
await db.updateTable('users').set({ is_auditor: true }).where('id', '=', auditor.id).execute()
const persons: Person[] = [...A, ...B, responsible, author, admin, auditor]
const ids = (people: Person[]) => people.map(({ id }) => id)
const teams = {
  A: await createTeam(db, { leads: [leadA.id], members: ids(A.slice(1)) }),
  B: await createTeam(db, { leads: [leadB.id], members: ids(B.slice(1)) }),
}

const test = await assignedTest(db)
const deck = await createDeck(db)
const card = await createCard(db, { deck_id: deck.id })
const parts = [
  await sheetPart(db),
  { kind: 'test', slug: test.slug },
  { kind: 'deck', slug: deck.slug },
  { kind: 'personal', title: 'Rundgang' },
]
async function assign(values: object): Promise<number> {
  const given = { ...ASSIGNMENT, parts, audience: { team_ids: [teams.A, teams.B] }, responsible_id: responsible.id }
  const { status, body } = await admin.post('/api/assignments', { ...given, ...values })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}
const ALL_TEAMS = { team_ids: [teams.A, teams.B], user_ids: [stranger.id, mate.id] }
const mandatory = await assign({ title: 'Pflicht', audience: ALL_TEAMS })
const optional = await assign({ title: 'Kür', mandatory: false })
const foreign = await assign({ title: 'Fremdes', audience: { team_ids: [teams.B] } })
const occurrences = (id: number) => `/api/assignments/${id}/occurrences`

const STATES = ['', 'open', 'in_progress', 'done', 'exempt', 'recognised', 'left', 'open,in_progress']
const SEARCHES = ['person', 'person a', 'person b', 'b2', '%']
const FILTERS = [
  ...STATES.map((state) => ({ state, overdue: '', q: '' })),
  ...['', 'open', 'done'].map((state) => ({ state, overdue: 'true', q: '' })),
  ...SEARCHES.map((q) => ({ state: 'open', overdue: '', q })),
  ...['person a', 'person b'].map((q) => ({ state: 'open', overdue: 'true', q })),
].map((filter) => new URLSearchParams(filter).toString())

async function act(caller: Caller, url: string, payload: object): Promise<void> {
  const { status, text } = await caller.post(url, payload)
  if (status !== 200) throw new Error(`${url} ${text}`)
}
const occurrenceOf = async ({ id }: Person, assignment = mandatory): Promise<number> =>
  (await responsible.get(occurrences(assignment))).body.occurrences.find(
    ({ user }: { user: { id: number } }) => user.id === id,
  ).id

/** Completes the mandatory assignment of a person; the responsible person confirms the personal part. */
async function complete(person: Person): Promise<void> {
  const id = await occurrenceOf(person)
  await act(person, `/api/assignments/occurrences/${id}/confirm`, { part: 0 })
  await takeTest(person, test.slug, false)
  await takeTest(person, test.slug, true)
  await act(person, '/api/review', { card_id: card.id, rating: 'easy' })
  const held = { ids: [id], held_on: '2026-12-01' }
  await act(responsible, '/api/assignments/occurrences/confirm-personal', held)
}

t.test('nothing that members of other teams do changes what a lead sees', async (t) => {
  // Runs the daily planning first, so that only the following actions can change a response.
  for (const id of [mandatory, optional, foreign]) await responsible.get(occurrences(id))
  const urls = [
    ...['/api/auth/me', '/api/teams', `/api/teams/${teams.A}`, `/api/teams/${teams.B}`, '/api/assignments'],
    '/api/assignments/urgent',
    ...[mandatory, optional, foreign].flatMap((id) => [`/api/assignments/${id}`, occurrences(id)]),
    ...FILTERS.map((filter) => `${occurrences(mandatory)}?${filter}`),
    `${occurrences(mandatory)}?limit=1`,
  ]
  const look = async () => {
    const seen: string[] = []
    for (const url of urls) seen.push(`${url} ${(await leadA.get(url)).text}`)
    return seen
  }
  const before = await look()
  await complete(stranger)
  await act(responsible, `/api/assignments/occurrences/${await occurrenceOf(leadB)}/exempt`, { reason: 'Elternzeit' })
  const until = { reason: 'krank', until: '2027-01-31' }
  await act(responsible, `/api/assignments/occurrences/${await occurrenceOf(late)}/extend`, until)
  await act(late, `/api/assignments/occurrences/${await occurrenceOf(late)}/confirm`, { part: 0 })
  await db
    .updateTable('occurrences')
    .set({ due_on: '2026-11-30' })
    .where('user_id', '=', B[4]?.id ?? 0)
    .execute()
  await admin.patch(`/api/accounts/${leaver.id}`, { disabled_on: '2026-12-01' })
  await responsible.get(occurrences(mandatory))
  t.match((await responsible.get(occurrences(mandatory))).body.counts, {
    open: 7,
    overdue: 1,
    done: 1,
    excused: 1,
    left: 1,
  })
  t.strictSame(await look(), before)
})

t.test('filters and counts of a lead cover the visible rows only', async (t) => {
  await complete(learner)
  await act(mate, `/api/assignments/occurrences/${await occurrenceOf(mate)}/confirm`, { part: 0 })
  await db
    .updateTable('occurrences')
    .set({ due_on: '2026-11-30' })
    .where('user_id', '=', A[4]?.id ?? 0)
    .execute()
  const all = (await leadA.get(occurrences(mandatory))).body
  t.strictSame(userIds(all), ids(A))
  t.strictSame(all.counts, { open: 4, overdue: 1, done: 1, excused: 0, left: 0, missed: 0, due_this_week: 0 })
  type Row = { state: string; overdue: boolean; user: { display_name: string } }
  for (const filter of FILTERS) {
    const { state, overdue, q } = Object.fromEntries(new URLSearchParams(filter)) as Record<string, string>
    const expected = all.occurrences.filter(
      (row: Row) =>
        (state === '' || state?.split(',').includes(row.state)) &&
        (overdue === '' || row.overdue) &&
        row.user.display_name.toLowerCase().includes(q ?? ''),
    )
    const { body } = await leadA.get(`${occurrences(mandatory)}?${filter}`)
    t.strictSame([body.occurrences, body.counts, body.next_after], [expected, all.counts, null], filter)
  }
  const paged: number[] = []
  for (let after: number | string = '', page: { next_after: number | null } | undefined; page?.next_after !== null; ) {
    const { body } = await leadA.get(`${occurrences(mandatory)}?limit=2&after=${after}`)
    paged.push(...userIds(body))
    page = body
    after = body.next_after
  }
  t.strictSame(paged, ids(A))
  const ofOthers = await leadA.get(`${occurrences(mandatory)}?after=${await occurrenceOf(stranger)}`)
  t.equal(ofOthers.status, 400, 'no next page after an invisible row')

  await db.updateTable('team_members').set({ until_on: '2026-12-01' }).where('user_id', '=', mate.id).execute()
  t.notOk(userIds((await leadA.get(occurrences(mandatory))).body).includes(mate.id), 'a person who has left the team')
  await db.updateTable('team_members').set({ until_on: null }).where('user_id', '=', mate.id).execute()
})

const userIds = ({ occurrences }: { occurrences: { user: { id: number } }[] }) => occurrences.map(({ user }) => user.id)

t.test('tells the responsible person, but not leads, who gets no mail', async (t) => {
  await db.updateTable('users').set({ email: 'a2@example.org' }).where('id', '=', learner.id).execute()
  const reach = async (caller: Caller) =>
    (await caller.get(`${occurrences(mandatory)}?q=person+a`)).body.occurrences.map(
      ({ user }: { user: { id: number; reachable: boolean | null } }) => user.reachable,
    )
  t.strictSame(
    await reach(responsible),
    A.map((person) => person === learner),
  )
  t.strictSame(await reach(leadA), [null, null, null, null, null])
})

/**
 * Persons whose names a response contains, by route and caller. `-`: the request is refused; `0`: no person; `A`:
 * everyone in team A; `B`: everyone in team B; `all`: everyone in both teams; `every`: all persons; `file`: the
 * response is a PDF; `audit`: the response is the audit trail. Other entries list single persons, joined by `+`. The
 * members are A1 to A5 and B1 to B5, led by A1 and B1. R is the responsible person of all assignments, U an author, X an
 * administrator and P an auditor.
 */
const TABLE = `
                                                          A2      A1      R       U       X       P       A1:read X:admin
/api/teams                                                -       0       -       -       0       -       -       0
/api/teams/{A}                                            -       A       -       -       A       -       -       A
/api/teams/{B}                                            -       -       -       -       B       -       -       B
/api/teams/by-external-id/{external}                      -       -       -       -       0       -       -       0
/api/assignments                                          -       R       R       0       R       R       -       R
/api/assignments/templates                                -       -       -       -       0       -       -       0
/api/assignments/urgent                                   -       0       0       -       -       -       -       -
/api/assignments/{mandatory}                              -       R       A3+B2+R -       A3+B2+R A3+B2+R -       A3+B2+R
/api/assignments/{optional}                               -       -       R       -       R       R       -       R
/api/assignments/{foreign}                                -       -       R       -       R       R       -       R
/api/assignments/{mandatory}/occurrences                  -       A       all     -       -       all     -       -
/api/assignments/{optional}/occurrences                   -       -       all     -       -       all     -       -
/api/assignments/{foreign}/occurrences                    -       -       B       -       -       B       -       -
/api/assignments/{mandatory}/occurrences.csv              -       A       all     -       -       -       -       -
/api/assignments/{mandatory}/occurrences.csv?purpose=Audit -       A       all     -       -       all     -       -
/api/assignments/{optional}/occurrences.csv               -       -       all     -       -       -       -       -
/api/assignments/{foreign}/occurrences.csv                -       -       B       -       -       -       -       -
/api/assignments/{mandatory}/proofs.zip?purpose=Audit     -       -       A2+B2   -       A2+B2   A2+B2   -       A2+B2
/api/assignments/{mandatory}/list.pdf                     -       file    file    -       -       -       -       -
/api/assignments/{foreign}/list.pdf                       -       -       file    -       -       -       -       -
/api/assignments/{optional}/list.pdf                      -       -       file    -       -       -       -       -
/api/assignments/mine                                     R       R       0       0       0       0       R       -
/api/proofs                                               -       -       A2+B2   -       A2+B2   A2+B2   -       A2+B2
/api/proofs/choices                                       -       -       0       -       0       0       -       0
/api/proofs/expiring                                      -       -       A1+A2+A3+A4+B1+B2+B4 -       0       A1+A2+A3+A4+B1+B2+B4 -       0
/api/proofs/expiring.csv                                  -       -       A1+A2+A3+A4+B1+B2+B4 -       0       -       -       0
/api/proofs/expiring.csv?purpose=Audit                    -       -       A1+A2+A3+A4+B1+B2+B4 -       0       A1+A2+A3+A4+B1+B2+B4 -       0
/api/proofs/mine                                          0       0       0       0       0       0       0       -
/api/proofs/{code}.pdf                                    file    -       file    -       file    file    -       -
/api/proofs/export                                        -       -       -       -       -       -       -       -
/api/proofs/export?purpose=Audit                          -       -       -       -       A2+B2   A2+B2   -       A2+B2
/api/proofs/verify/{code}                                 A2+R    A2+R    A2+R    A2+R    A2+R    A2+R    A2+R    A2+R
/api/mail/mine                                            0       0       0       0       0       0       0       -
/api/mail/outbox                                          -       -       -       -       A2+B2   -       -       A2+B2
/api/calendar/token                                       0       0       0       0       0       0       0       -
/api/calendar/{token}.ics                                 -       -       -       -       -       -       -       -
/api/accounts                                             -       -       -       -       every   -       -       every
/api/accounts/service                                     -       -       -       -       0       -       -       0
/api/accounts/privacy                                     -       -       -       -       0       0       -       0
/api/accounts/audit                                       -       -       -       -       audit   audit   -       audit
/api/accounts/{learner}                                   -       -       -       -       A2      -       -       A2
/api/accounts/by-external-id/{external}                   -       -       -       -       A2      -       -       A2
/api/accounts/{learner}/sessions                          -       -       -       -       0       -       -       0
/api/accounts/{learner}/tokens                            -       -       -       -       0       -       -       0
/api/accounts/me                                          A2      A1      R       U       X       P       -       -
/api/accounts/me/sessions                                 0       0       0       0       0       0       -       -
/api/accounts/me/accesses                                 A1+R+X+P R+P     0       0       0       0       -       -
/api/accounts/me/data                                     A2+R    A1      R       U       X       P       -       -
/api/admin/users                                          -       -       -       -       every   -       -       every
`

/**
 * `RESULT` matches keys of results, which only the learner may see. `STATE` matches keys of the state of tasks, which
 * administrators may not see.
 */
const RESULT =
  /score|point|(?<!share_)percent|answers?$|attempt|review|rating|passed|stability|difficulty|interval|due_cards/
const STATE = /^(done_at|done_on|completed_on|overdue|extended_until|period|personal_open|occurrences|parts_done)$/
/**
 * Keys that match `RESULT` or `STATE` but contain neither a result nor the state of a task, by route: settings, the
 * delivery of mails, and the printed content of a certificate
 */
const HARMLESS: Record<string, string[]> = {
  '/api/mail/outbox': ['attempts', 'next_attempt_at', 'answer'],
  '/api/proofs/verify/{code}': ['completed_on', 'done_on'],
  '/api/proofs': ['completed_on'],
  '/api/accounts': ['extra_time_percent'],
  '/api/accounts/{learner}': ['extra_time_percent'],
  '/api/accounts/by-external-id/{external}': ['extra_time_percent'],
}

t.test('each role sees what the table allows, and no result of others', async (t) => {
  for (const { id } of [learner, stranger]) {
    const mail = { user_id: id, day: '2026-12-01', address: 'a@example.org', subject: 'Fällig', body: 'Lesen' }
    await db
      .insertInto('mails')
      .values({ ...mail, kind: 'tasks', next_attempt_at: new Date('2099-01-01') })
      .execute()
  }
  const token = async (owner: Caller, scope: string) => {
    const { body } = await owner.post('/api/auth/tokens', { name: scope, scopes: [scope] })
    return callerOf(app, undefined, body.token)
  }
  const callers = [
    ...[learner, leadA, responsible, author, admin, auditor],
    await token(leadA, 'read'),
    await token(admin, 'admin'),
  ]
  await admin.patch(`/api/accounts/${learner.id}`, { external_id: 'who' })
  await admin.patch(`/api/teams/${teams.A}`, { external_id: 'who' })
  const [proof] = (await learner.get('/api/proofs/mine')).body.proofs
  const values = {
    ...teams,
    mandatory,
    optional,
    foreign,
    learner: learner.id,
    external: 'who',
    code: proof.code,
    token: 'x'.repeat(43),
  }

  const [, head = '', ...lines] = TABLE.trimEnd().split('\n')
  const columns = head.trim().split(/\s+/)
  const routes = new Set<string>()
  for (const line of lines) {
    const [pattern = '', ...expected] = line.split(/\s+/)
    const route = pattern.replace(/\?.*/, '')
    routes.add(route.replace(/\{\w+\}/g, '{}'))
    const url = pattern.replace(/\{(\w+)\}/g, (_, name: keyof typeof values) => String(values[name]))
    for (const [index, caller] of callers.entries()) {
      const response = await caller.get(url)
      const column = columns[index] ?? ''
      t.equal(wordOf(response, pattern), expected[index], `${pattern} by ${column}`)
      if (response.status !== 200 || route.includes('/me/') || route.endsWith('/mine')) continue
      const forbidden = [...keysOf(response.body)].filter(
        (key) => (RESULT.test(key) || (column.startsWith('X') && STATE.test(key))) && !HARMLESS[route]?.includes(key),
      )
      t.strictSame(forbidden, [], `${pattern} by ${column}`)
    }
  }
  const covered = /^\/api\/(teams|assignments|proofs|mail|calendar|accounts|admin)\b/
  const known = listOperations(app.swagger() as never).filter(
    ({ method, path }) => method === 'GET' && covered.test(path),
  )
  for (const { path } of known) t.ok(routes.has(path.replace(/\{\w+\}/g, '{}')), `the table has ${path}`)
})

function wordOf({ status, text, headers }: ServiceResponse, pattern: string): string {
  if (status >= 400) return '-'
  if (headers['content-type'] === 'application/pdf') return 'file'
  if (pattern.endsWith('/audit')) return 'audit'
  const found = persons.filter(({ name }) => new RegExp(`Person ${name}\\b`).test(text)).map(({ name }) => name)
  const word = found.join('+')
  const words: [string, Person[]][] = [
    ['0', []],
    ['A', A],
    ['B', B],
    ['all', [...A, ...B]],
    ['every', persons],
  ]
  return words.find(([, people]) => people.map(({ name }) => name).join('+') === word)?.[0] ?? word
}

function keysOf(value: unknown, keys = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return keys
  for (const [key, one] of Object.entries(value)) {
    if (!Array.isArray(value)) keys.add(key)
    keysOf(one, keys)
  }
  return keys
}
