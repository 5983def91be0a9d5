import { sql } from 'kysely'
import t from 'tap'
import { connectProvider, patchOf } from '../../support/scim.js'
import { startService } from '../../support/service.js'

const MEMBERS = 10_000
const MAX_PATCH_MS = 10_000
const MAX_GET_MS = 3_000
const MAX_MEGABYTES = 120

t.setTimeout(3_600_000)

const service = await startService(t)
const { db } = service
const provider = await connectProvider(service)

t.test(`a group of ${MEMBERS} members is changed and read in bounded time and memory`, async (t) => {
  const { rows } = await sql<{ id: number }>`
    insert into users (username, display_name)
    select 'mitglied-' || n, 'Mitglied Nummer ' || n from generate_series(1, ${MEMBERS}::integer) as n
    returning id`.execute(db)
  const members = rows.map(({ id }) => ({ value: String(id), display: `Mitglied ${id}` }))
  const { id } = (await provider.post('/scim/v2/Groups', { displayName: 'Alle' })).body
  const url = `/scim/v2/Groups/${id}`
  const count = async () => (await provider.get(url)).body.members.length
  await provider.patch(url, patchOf({ op: 'add', path: 'members', value: members.slice(0, 10) }))

  const measure = async (what: string, maximum: number, work: () => Promise<unknown>) => {
    let peak = process.memoryUsage().rss
    const before = peak
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    const start = performance.now()
    await work()
    const duration = performance.now() - start
    clearInterval(timer)
    const megabytes = (peak - before) / 2 ** 20
    t.comment(`${what}: ${Math.round(duration)} ms, ${Math.round(megabytes)} MB more`)
    t.ok(duration < maximum, `${what} takes ${duration} ms`)
    t.ok(megabytes < MAX_MEGABYTES, `${what} takes ${megabytes} MB`)
  }
  const patch =
    (...operations: object[]) =>
    async () =>
      t.equal((await provider.patch(url, patchOf(...operations))).status, 204)
  await measure('add', MAX_PATCH_MS, patch({ op: 'add', path: 'members', value: members }))
  await measure('get', MAX_GET_MS, async () => t.equal(await count(), MEMBERS))
  await measure('add again', MAX_PATCH_MS, patch({ op: 'add', path: 'members', value: members }))
  await measure(
    'replace by half',
    MAX_PATCH_MS,
    patch({ op: 'replace', path: 'members', value: members.slice(0, 5_000) }),
  )
  t.equal(await count(), 5_000)
  const single = members.slice(5_000).map((member) => ({ op: 'Add', path: 'members', value: [member] }))
  await measure('add one by one', MAX_PATCH_MS, patch(...single))
  t.equal(await count(), MEMBERS)
  const removals = members.slice(100).map(({ value }) => ({ op: 'Remove', path: `members[value eq "${value}"]` }))
  await measure('remove one by one', MAX_PATCH_MS, patch(...removals))
  t.equal(await count(), 100)
  await measure('remove all', MAX_PATCH_MS, patch({ op: 'remove', path: 'members' }))
  t.equal(await count(), 0)
})
