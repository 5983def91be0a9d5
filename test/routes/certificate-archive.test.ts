import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { openArchive } from '../../src/services/certificates/archive.js'
import { accountShare } from '../../src/services/fair-turns.js'
import { renderPdf } from '../../src/services/print/print.js'
import { ASSIGNMENT, issueCertificate, sheetPart } from '../support/assignments.js'
import { waitUntilBlocked } from '../support/database.js'
import { createUser } from '../support/factories.js'
import { unzip } from '../support/packages.js'
import { startService } from '../support/service.js'

let now = new Date('2026-12-04T10:00:00Z')
const service = await startService(t, { now: () => now })
const { app, db } = service
const admin = await service.admin()
const responsible = await service.member()
const { id: auditorId, username } = await createUser(db, { is_auditor: true, auditor_until: '2026-12-04' })
const auditor = { ...(await service.loginAs(username)), id: auditorId }
const [ada, bo] = [await service.member(), await service.member()]
const origin = await app.listen({ port: 0, host: '127.0.0.1' })

async function assign(title: string, responsible_id: number): Promise<{ id: number; title: string }> {
  const values = { ...ASSIGNMENT, title, parts: [await sheetPart(db)], audience: { user_ids: [ada.id, bo.id] } }
  const { id } = (await admin.post('/api/assignments', { ...values, responsible_id })).body.assignment
  return { id, title }
}
await assign('Brandschutz', responsible.id)
const data = await assign('Datenschutz', admin.id)
const later = await issueCertificate(db, data, bo.id, { name: 'Bo Birne' })
const past = await issueCertificate(db, data, ada.id, { name: 'Ada Äpfel', valid_until: '2026-12-03' })
const revoked = await issueCertificate(db, data, ada.id, { name: 'Ada Äpfel' })
await admin.post(`/api/proofs/${revoked}/revoke`, { reason: 'Falsche Person' })

const url = `/api/assignments/${data.id}/proofs.zip?purpose=Archiv`
const actor = { actor_id: auditor.id, actor: username, via: 'session' as const, address: null }
const order = {
  assignment: data,
  purpose: 'Archiv',
  userId: auditor.id,
  frameOf: () => ({ address: null, logo: null, language: 'de' as const }),
}

t.test('packs the PDFs of the proofs in force of an assignment, for a stated purpose', async (t) => {
  const name = 'Zoë / "Ä": *'
  const code = await issueCertificate(db, data, ada.id, { name })
  const { rawPayload, headers } = await app.inject({ url, headers: { cookie: auditor.cookie } })
  t.equal(headers['x-file-count'], '3')
  t.strictSame(
    [...(await unzip(rawPayload)).keys()],
    [`Bo Birne-${later}.pdf`, `Ada Äpfel-${past}.pdf`, `Zoë _ _Ä__ _-${code}.pdf`],
  )
  t.equal(rawPayload.toString('latin1').split('%PDF-').length, 4)
  t.equal((await auditor.get(`/api/assignments/${data.id}/proofs.zip`)).status, 400, 'without a purpose')
  const english = await service.app.inject({ url: `${url}&lang=en`, headers: { cookie: auditor.cookie } })
  const unnamed = { cookie: auditor.cookie, 'accept-language': 'en' }
  const reader = await service.app.inject({ url, headers: unnamed })
  for (const { rawPayload, headers } of [english, reader]) {
    const pdfs = [...(await unzip(rawPayload)).values()]
    t.ok(pdfs.length > 0 && pdfs.every((pdf) => Buffer.from(pdf).includes('/Lang (en-GB)')), 'PDFs in English')
    t.match(headers['content-disposition'], /certificates_/)
  }
  t.strictSame([english.headers.vary, reader.headers.vary], [undefined, 'Accept-Language, Cookie'])
  t.equal((await responsible.get(url)).status, 404)
  t.equal((await ada.get(url)).status, 403)
  const { accesses } = (await bo.get('/api/accounts/me/accesses?limit=1')).body
  t.match(accesses, [{ kind: 'export', title: 'Datenschutz', purpose: 'Archiv' }])
})

t.test('prints one archive at a time for a user, and ends it with the signal', async (t) => {
  const asked: Promise<{ status: number }>[] = []
  await db.transaction().execute(async (transaction) => {
    // Holds the first archive. On the embedded database, both requests wait for the connection and continue in turn.
    await sql`lock table proofs`.execute(transaction)
    asked.push(auditor.get(url), auditor.get(url))
    await (service.database.embedded ? waitUntilBlocked(service.database, 2) : Promise.race(asked))
  })
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  t.strictSame(statuses.sort(), [200, 429])
  t.equal((await auditor.get(url)).status, 200, 'the next one after it')
  const controller = new AbortController()
  const { stream } = await openArchive(db, actor, order, controller.signal)
  controller.abort(new Error('the service stops'))
  await t.rejects(buffer(stream), { message: 'the service stops' })
})

t.test('goes on while the user waits for as many single PDFs as allowed', async (t) => {
  const { stream } = await openArchive(db, actor, order, new AbortController().signal)
  const content = {
    language: 'de' as const,
    title: 'Brandschutz',
    parts: [],
    day: '2026-12-04',
    at: now,
    persons: [{ id: 1, name: 'Ada' }],
  }
  const { signal } = new AbortController()
  const single = () => renderPdf(accountShare(auditor.id), { kind: 'session', content }, signal)
  // One is printed, three wait; the archive asks for its first PDF after them.
  const others = Promise.all([single(), single(), single(), single()])
  t.equal((await unzip(await buffer(stream))).size, 3)
  await others
})

/** Begins a download that lasts until its body is read. */
async function begin(signal?: AbortSignal) {
  const response = await fetch(origin + url, { headers: { cookie: auditor.cookie ?? '' }, signal: signal ?? null })
  return { response, reader: (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader() }
}

t.test('lets the user download again after the client has cancelled', async (t) => {
  const controller = new AbortController()
  const { reader } = await begin(controller.signal)
  await reader.read()
  controller.abort()
  let again = await auditor.get(url)
  for (; again.status === 429; again = await auditor.get(url)) await sleep(20)
  t.equal(again.status, 200)
})

t.test('finishes a download that has begun when the last day of the auditor passes', async (t) => {
  const { response, reader } = await begin()
  const chunks = [(await reader.read()).value]
  now = new Date('2026-12-05T10:00:00Z')
  t.equal((await auditor.get(url)).status, 403)
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  const file = Buffer.from(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
  t.equal((await unzip(file)).size, Number(response.headers.get('x-file-count')))
})
