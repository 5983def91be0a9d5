import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { ROOT } from '../../support/constants.js'
import { connectProvider } from '../../support/scim.js'
import { type Caller, startService } from '../../support/service.js'

interface Fixture {
  reported: string[]
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  body?: object
  status: number
  /** Attributes of the user or group afterwards */
  user?: Record<string, unknown>
  group?: Record<string, unknown>
  members?: string[]
  /** Names of the resources that a list returns */
  found?: string[]
  /** Attribute that the resources of a list lack */
  without?: string
  of?: string
}

const FOLDER = `${ROOT}test/fixtures/scim/`
const ERIKA = { userName: 'erika@example.org', displayName: 'Erika Muster', externalId: 'E-1' }

const service = await startService(t)
const { db } = service
const provider = await connectProvider(service)

/** Removes what the previous fixture has made, and returns the ids of new resources by name. */
async function prepare(): Promise<Record<string, string>> {
  await db.deleteFrom('teams').execute()
  await db.deleteFrom('users').where('id', '<>', provider.owner.id).execute()
  const create = async (path: string, body: object) => (await provider.post(`/scim/v2/${path}`, body)).body.id
  const erika = await create('Users', { ...ERIKA, emails: [{ value: 'erika@example.org' }] })
  const max = await create('Users', { userName: 'max@example.org', externalId: 'M-1' })
  const vertrieb = await create('Groups', { displayName: 'Vertrieb', externalId: 'g-1', members: [{ value: erika }] })
  return { erika, max, vertrieb }
}

function fill<T>(value: T, ids: Record<string, string>): T {
  const text = JSON.stringify(value ?? null).replaceAll(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole)
  return JSON.parse(text) as T
}

const sendTo = (caller: Caller, { method, path, body }: Pick<Fixture, 'method' | 'path' | 'body'>) =>
  caller.send({
    method,
    url: `/scim/v2${path}`,
    ...(body && { payload: JSON.stringify(body), headers: { 'content-type': 'application/scim+json; charset=utf-8' } }),
  })

const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'))

t.test('the README names each form', async (t) => {
  const readme = await readFile(`${FOLDER}README.md`, 'utf8')
  t.ok(files.length >= 25)
  for (const name of files) {
    const { reported } = JSON.parse(await readFile(FOLDER + name, 'utf8')) as Fixture
    t.ok(readme.includes(`| \`${name.replace('.json', '')}\` | ${reported.join(', ')} |`), name)
  }
})

for (const name of files) {
  t.test(name, async (t) => {
    const ids = await prepare()
    const fixture = fill(JSON.parse(await readFile(FOLDER + name, 'utf8')) as Fixture, ids)
    const first = await sendTo(provider, fixture)
    t.equal(first.status, fixture.status, JSON.stringify(first.body))
    const { user, group, members, found, of, path } = fixture
    if (found !== undefined) {
      t.strictSame(
        first.body.Resources.map(({ id }: { id: string }) => id),
        found.map((one) => ids[one]),
      )
      if (fixture.without !== undefined) t.notOk(fixture.without in first.body.Resources[0])
      return
    }
    const id = of === 'created' ? first.body.id : of === undefined ? path.split('/')[2] : ids[of]
    const kind = path.split('/')[1]
    const check = async () => {
      const { body } = await provider.get(`/scim/v2/${kind}/${id}`)
      t.match(body, { ...user, ...group })
      if (members !== undefined) {
        const expected = members.map((one) => ids[one])
        t.strictSame(
          body.members.map(({ value }: { value: string }) => value),
          expected,
        )
      }
      return body
    }
    const after = await check()
    const second = await sendTo(provider, fixture)
    t.equal(second.status, fixture.method === 'POST' ? 409 : fixture.status, 'the same request again')
    t.strictSame(await check(), after, 'changes nothing')
  })
}
