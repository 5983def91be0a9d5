import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { patchBodyValidation, scimPatch } from 'scim-patch'
import SCIMMY from 'scimmy'
import { cleanUp, cleanUpOnSignals } from '../bench/cleanup.js'
import { startPostgres } from '../bench/postgres.js'
import { ROOT, startService } from '../bench/processes.js'

/**
 * A SCIM client that knows the service only by its address and a token: `scimmy` builds and checks the messages, and
 * `scim-patch` computes what a PATCH must lead to. The service uses neither. Provisions users and groups twice, as a
 * provider does with a full synchronisation, and compares both ends.
 */

const { values } = parseArgs({
  options: { users: { type: 'string', default: '1000' }, groups: { type: 'string', default: '50' } },
})
const USERS = Number(values.users)
const GROUPS = Number(values.groups)
const CONCURRENT = 4
const MEMBERS = 20

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const User = SCIMMY.Schemas.User
User.extend(SCIMMY.Schemas.EnterpriseUser as never)

// biome-ignore lint/suspicious/noExplicitAny: resources are plain JSON
type Json = Record<string, any>

class Client {
  requests = 0

  constructor(
    readonly base: string,
    readonly token: string,
  ) {}

  async send(method: string, path: string, expected: number, body?: object): Promise<Json> {
    this.requests++
    const response = await fetch(this.base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        accept: 'application/scim+json',
        ...(body && { 'content-type': 'application/scim+json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.equal(response.status, expected, `${method} ${path}: ${text}`)
    if (text === '') return {}
    assert.match(response.headers.get('content-type') ?? '', /^application\/scim\+json/)
    return JSON.parse(text) as Json
  }

  /** Returns all resources, page by page. The library checks each one against its schema. */
  async list(kind: 'Users' | 'Groups'): Promise<Json[]> {
    const all: Json[] = []
    for (;;) {
      const page = await this.send('GET', `/${kind}?startIndex=${all.length + 1}&count=150`, 200)
      assert.deepEqual(page.schemas, [SCIMMY.Messages.ListResponse.id])
      assert.equal(page.Resources.length, page.itemsPerPage)
      all.push(...page.Resources.map((one: Json) => checked(kind, one)))
      if (all.length >= page.totalResults || page.Resources.length === 0) return all
    }
  }

  async find(kind: 'Users' | 'Groups', filter: string): Promise<Json | undefined> {
    const { Resources, totalResults } = await this.send('GET', `/${kind}?filter=${encodeURIComponent(filter)}`, 200)
    assert.ok(totalResults <= 1, filter)
    return Resources[0]
  }

  async patch(kind: 'Users' | 'Groups', id: string, ...operations: Json[]): Promise<Json> {
    const body = { schemas: [SCIMMY.Messages.PatchOp.id], Operations: operations }
    // Throws if the message is not valid.
    new SCIMMY.Messages.PatchOp(body as never)
    return this.send('PATCH', `/${kind}/${id}`, kind === 'Users' ? 200 : 204, body)
  }
}

function checked(kind: 'Users' | 'Groups', resource: Json): Json {
  const Schema = kind === 'Users' ? User : SCIMMY.Schemas.Group
  const parsed = JSON.parse(JSON.stringify(new Schema(resource, 'out')))
  for (const name of ['id', 'externalId', 'userName', 'displayName', 'active', 'emails', 'members']) {
    assert.deepEqual(parsed[name], resource[name], `${kind} ${resource.id}: ${name}`)
  }
  return resource
}

const describe = (n: number): Json => ({
  schemas: [User.definition.id, ENTERPRISE],
  userName: `Person.${n}@example.org`,
  externalId: `directory-${n}`,
  name: { givenName: `Vorname${n}`, familyName: `Nachname${n}`, formatted: `Vorname${n} Nachname${n}` },
  displayName: `Vorname${n} Nachname${n}`,
  emails: [{ value: `person.${n}@example.org`, type: 'work', primary: true }],
  active: n % 10 !== 0,
  [ENTERPRISE]: { employeeNumber: String(100_000 + n) },
})

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 1
  const run = async () => {
    while (next <= count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENT }, run))
}

/** One synchronisation: creates what is missing, changes what differs, disables and deletes. */
async function synchronise(client: Client): Promise<void> {
  const ids = new Map<number, string>()
  await inParallel(USERS, async (n) => {
    const wanted = describe(n)
    const known = await client.find('Users', `userName eq "${wanted.userName.toUpperCase()}"`)
    const stored = known ?? checked('Users', await client.send('POST', '/Users', 201, wanted))
    ids.set(n, stored.id)
    if (known === undefined) await client.send('POST', '/Users', 409, wanted)
    const changed = { ...wanted, displayName: `Neu ${n}`, name: { formatted: `Neu ${n}` } }
    const put = await client.send('PUT', `/Users/${stored.id}`, 200, changed)
    assert.equal(put.displayName, `Neu ${n}`)

    const operations: Json[] = [
      { op: 'replace', path: 'displayName', value: `Person ${n}` },
      { op: 'replace', path: 'emails[type eq "work"].value', value: `neu.${n}@example.org` },
      { op: 'replace', value: { active: n % 5 !== 0 } },
      { op: 'replace', path: `${ENTERPRISE}:employeeNumber`, value: String(200_000 + n) },
    ]
    const expected = scimPatch(structuredClone(put) as never, structuredClone(operations) as never) as Json
    patchBodyValidation({ schemas: [SCIMMY.Messages.PatchOp.id], Operations: operations } as never)
    for (let times = 0; times < 2; times++) {
      const patched = await client.patch('Users', stored.id, ...operations)
      for (const name of ['displayName', 'emails', 'active', 'userName', 'externalId', ENTERPRISE]) {
        assert.deepEqual(patched[name], expected[name], `${name} of ${patched.userName}`)
      }
    }
  })
  const externalId = describe(1).externalId
  assert.equal((await client.find('Users', `externalId eq "${externalId}" and active eq true`))?.id, ids.get(1))

  await inParallel(GROUPS, async (n) => {
    const displayName = `Gruppe ${n}`
    const members = Array.from({ length: MEMBERS }, (_, index) => ids.get(((n * 7 + index * 13) % USERS) + 1) as string)
    const asMembers = (some: string[]) => [...new Set(some)].map((value) => ({ value }))
    const known = await client.find('Groups', `displayName eq "${displayName}"`)
    const body = { schemas: [SCIMMY.Schemas.Group.definition.id], displayName, externalId: `g-${n}` }
    const { id } = known ?? checked('Groups', await client.send('POST', '/Groups', 201, body))
    await client.patch('Groups', id, { op: 'add', path: 'members', value: asMembers(members) })
    const removed = members[0] as string
    await client.patch('Groups', id, { op: 'remove', path: `members[value eq "${removed}"]` })
    const { members: found } = checked('Groups', await client.send('GET', `/Groups/${id}`, 200))
    const expected = asMembers(members.filter((one) => one !== removed)).map(({ value }) => value)
    assert.deepEqual(found.map(({ value }: Json) => value).sort(), expected.sort())
    assert.ok(await client.find('Groups', `id eq "${id}" and members.value eq "${expected[0]}"`))
  })

  // The leavers: every tenth user is deleted, as every tenth group.
  await inParallel(USERS, async (n) => {
    if (n % 10 !== 1) return
    await client.send('DELETE', `/Users/${ids.get(n)}`, 204)
    await client.send('GET', `/Users/${ids.get(n)}`, 404)
  })
  await inParallel(GROUPS, async (n) => {
    if (n % 10 !== 1) return
    const group = await client.find('Groups', `displayName eq "Gruppe ${n}"`)
    await client.send('DELETE', `/Groups/${group?.id}`, 204)
  })
}

async function readEnd(client: Client): Promise<{ users: Json[]; groups: Json[] }> {
  return { users: await client.list('Users'), groups: await client.list('Groups') }
}

cleanUpOnSignals()
try {
  const postgres = await startPostgres(process.env.BENCH_DATABASE_URL)
  const databaseUrl = await postgres.createDatabase()
  const admin = { ADMIN_USERNAME: 'chef', ADMIN_PASSWORD: 'nur im Labor' }
  const env = { DATABASE_URL: databaseUrl, SESSION_SECRET: 'a secret that only the laboratory knows', ...admin }
  const service = await startService(databaseUrl, admin)
  const { stdout } = await promisify(execFile)(process.execPath, [`${ROOT}dist/src/cli.js`, 'token', 'scim'], {
    env: { ...process.env, ...env },
  })
  const client = new Client(`${service.url}/scim/v2`, stdout.trim())
  for (const path of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas']) await client.send('GET', `/${path}`, 200)

  const times: number[] = []
  const ends: Awaited<ReturnType<typeof readEnd>>[] = []
  for (let times_ = 0; times_ < 2; times_++) {
    const before = client.requests
    const start = performance.now()
    await synchronise(client)
    const seconds = (performance.now() - start) / 1000
    times.push(seconds)
    ends.push(await readEnd(client))
    const { users, groups } = ends.at(-1) as (typeof ends)[number]
    process.stdout.write(
      `synchronisation ${times_ + 1}: ${seconds.toFixed(1)} s, ${client.requests - before} requests, ` +
        `${users.length} users (${users.filter(({ active }) => active).length} active), ${groups.length} groups\n`,
    )
  }
  assert.deepEqual(ends[1], ends[0])
  assert.equal(ends[0]?.users.length, USERS - Math.ceil(USERS / 10) + 1, 'all but the deleted, and the administrator')
  assert.equal(ends[0]?.groups.length, GROUPS - Math.ceil(GROUPS / 10))
  process.stdout.write('both synchronisations have the same end\n')
} finally {
  await cleanUp()
}
