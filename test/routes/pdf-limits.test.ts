import t from 'tap'
import { ASSIGNMENT, sheetPart } from '../support/assignments.js'
import { stopMonotonicClock } from '../support/clock.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const service = await startService(t, {
  config: { rateLimit: 100, trustProxy: ['127.0.0.1'] },
  now: () => new Date('2026-12-05T10:00:00Z'),
})
const { db } = service
const admin = await service.admin()
const LIMITED = errorBody(429, 'Zu viele Versuche, bitte später erneut')

// All requests belong to one window of the limit, whatever their duration.
const clock = stopMonotonicClock(t)

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

/** Creates a person with a certificate and returns the URL of its PDF. */
async function prove(): Promise<{ person: Caller & { id: number }; url: string }> {
  const person = await service.member()
  const values = { ...ASSIGNMENT, parts: [await sheetPart(db)], audience: { user_ids: [person.id] } }
  await admin.post('/api/assignments', values)
  const mine = async () => (await person.get('/api/assignments/mine')).body.occurrences[0]
  await person.post(`/api/assignments/occurrences/${(await mine()).id}/confirm`, { part: 0 })
  return { person, url: `/api/proofs/${(await mine()).proof_code}.pdf` }
}

t.test('each user gets ten PDFs of proofs in ten seconds; refused requests do not count', async (t) => {
  const [first, second] = [await prove(), await prove()]
  const get = (person: Caller, url: string, address = '203.0.113.1') => person.get(url, from(address))
  for (let count = 0; count < 12; count++) t.equal((await get(first.person, second.url)).status, 404)
  for (let count = 0; count < 10; count++) t.equal((await get(first.person, first.url)).status, 200)
  const refused = await get(first.person, first.url, '203.0.113.2')
  t.strictSame([refused.status, refused.body], [429, LIMITED], 'from any address')
  t.equal(refused.headers['retry-after'], '10')
  t.equal((await get(second.person, second.url)).status, 200, 'a colleague behind the same address')
  clock.pass(10_000)
  t.equal((await get(first.person, first.url)).status, 200)
})

t.test('each user gets ten lists to sign in ten seconds', async (t) => {
  const boss = await service.member()
  const assign = async (responsible_id: number): Promise<string> => {
    const values = { ...ASSIGNMENT, parts: [await sheetPart(db)], audience: { user_ids: [admin.id] }, responsible_id }
    return `/api/assignments/${(await admin.post('/api/assignments', values)).body.assignment.id}/list.pdf`
  }
  const [own, foreign] = [await assign(boss.id), await assign(admin.id)]
  const get = (caller: Caller, url: string) => caller.get(url, from('203.0.113.1'))
  for (let count = 0; count < 12; count++) t.equal((await get(boss, `${own}?state=x`)).status, 400)
  for (let count = 0; count < 10; count++) t.equal((await get(boss, own)).status, 200)
  t.equal((await get(boss, own)).status, 429)
  t.equal((await get(admin, foreign)).status, 200, 'another user behind the same address')
})
