import t from 'tap'
import { ASSIGNMENT } from '../support/assignments.js'
import { standingClock } from '../support/clock.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createCard, createCheatsheet, createDeck, createProgress } from '../support/factories.js'
import { startService } from '../support/service.js'

const { database, countOf } = countStatements(await createMigratedDatabase())
const service = await startService(t, { database, now: standingClock() })
const { db } = service
const member = await service.member()
const admin = await service.admin()
const deck = await createDeck(db)
const card = await createCard(db, { deck_id: deck.id })
await createProgress(db, { user_id: member.id, card_id: card.id, last_rating: 'easy', next_review: '2026-01-01' })
const sheet = await createCheatsheet(db)
const { body: created } = await admin.post('/api/teams', { name: 'Werkstatt' })
const lead = await service.member()
await admin.send({
  method: 'PUT',
  url: `/api/teams/${created.team.id}/members/${lead.id}`,
  payload: { role: 'lead' },
})

const READS = [
  '/api/auth/me',
  '/api/decks',
  `/api/decks/${deck.slug}`,
  '/api/quiz/generate',
  `/api/quiz/generate?deck=${deck.slug}&count=50`,
  '/api/quiz/history',
  '/api/cheatsheets',
  '/api/cheatsheets/search?q=Text',
  `/api/cheatsheets/${sheet.slug}`,
]

async function statementsOf(work: () => Promise<{ status: number }>): Promise<{ status: number; statements: number }> {
  let status = 0
  const statements = await countOf(async () => {
    status = (await work()).status
  })
  return { status, statements }
}

t.test('an anonymous request needs no statement', async (t) => {
  for (const path of [...READS, '/api/decks/export-anki', '/api/admin/users', '/api/unknown']) {
    const { statements } = await statementsOf(() => service.anonymous.get(path))
    t.equal(statements, 0, path)
  }
  t.equal((await statementsOf(() => service.anonymous.post('/api/auth/logout'))).statements, 0)
})

t.test('a read needs the session and one statement', async (t) => {
  for (const path of READS) {
    t.strictSame(await statementsOf(() => member.get(path)), { status: 200, statements: 2 }, path)
  }
  t.strictSame(await statementsOf(() => admin.get('/api/admin/users')), { status: 200, statements: 2 })
})

t.test('whether the user leads a team needs no additional statement', async (t) => {
  t.strictSame(await statementsOf(() => lead.get('/api/auth/me')), { status: 200, statements: 2 })
  t.equal((await lead.get('/api/auth/me')).body.roles.lead, true)
})

t.test('a lead’s page needs statements for the session, the led teams and the shown data', async (t) => {
  t.strictSame(await statementsOf(() => lead.get('/api/teams')), { status: 200, statements: 3 })
  const url = `/api/teams/${created.team.id}`
  t.strictSame(await statementsOf(() => lead.get(url)), { status: 200, statements: 4 })
  t.strictSame(await statementsOf(() => admin.get('/api/teams')), { status: 200, statements: 2 })
})

t.test("the user's tasks need the session, two statements to settle, two to plan, and one to list", async (t) => {
  const url = '/api/assignments/mine'
  const tasks = { parts: [{ kind: 'sheet', slug: sheet.slug }], audience: { user_ids: [member.id] } }
  t.strictSame(await statementsOf(() => member.get(url)), { status: 200, statements: 5 }, 'without a task')
  await admin.post('/api/assignments', { ...ASSIGNMENT, ...tasks })
  t.strictSame(await statementsOf(() => member.get(url)), { status: 200, statements: 6 })
})

t.test('the export needs one statement for the decks and one per deck or batch', async (t) => {
  t.strictSame(await statementsOf(() => member.get('/api/decks/export-anki')), { status: 200, statements: 3 })
})
