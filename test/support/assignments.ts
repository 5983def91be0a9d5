import type { Kysely } from 'kysely'
import { insertCertificates } from '../../db/queries/certificates/issue.js'
import type { Database } from '../../db/types.js'
import { createCode } from '../../src/domain/certificates/code.js'
import { writeSnapshot } from '../../src/domain/certificates/snapshot.js'
import { createCheatsheet, unique } from './factories.js'
import type { Caller } from './service.js'
import { CARDS, publishTest, rightAnswerTo } from './taken-tests.js'

export async function sheetPart(db: Kysely<Database>): Promise<{ kind: 'sheet'; slug: string }> {
  const { slug } = await createCheatsheet(db)
  return { kind: 'sheet', slug }
}

export async function createTeam(
  db: Kysely<Database>,
  { members = [], leads = [] }: { members?: number[]; leads?: number[] },
  from_on = '2020-01-01',
): Promise<number> {
  const { id } = await db
    .insertInto('teams')
    .values({ name: unique('Team'), external_group: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = [
    ...members.map((user_id) => ({ user_id, role: 'member' as const })),
    ...leads.map((user_id) => ({ user_id, role: 'lead' as const })),
  ]
  if (rows.length > 0) {
    await db
      .insertInto('team_members')
      .values(rows.map((row) => ({ ...row, team_id: id, origin: 'hand', from_on })))
      .execute()
  }
  return id
}

export const ASSIGNMENT = {
  title: 'Brandschutz',
  starts: '2026-12-01',
  due: '2026-12-31' as string | object,
  recurrence: null as object | null,
  mandatory: true,
  retention_years: 2,
}

export async function assignedTest(db: Kysely<Database>, sourceId: number | null = null, attempts: number | null = 2) {
  return publishTest(db, { access: 'assigned', attempts }, { cards: [CARDS.single], sourceId })
}

/**
 * Takes a test of one question, with the right answer if `isRight`, otherwise without an answer. Returns the status of
 * the start and the body of the last response: to the submission, or to a refused start.
 */
export async function takeTest(caller: Caller, slug: string, isRight: boolean) {
  const { status, body } = await caller.post(`/api/tests/${slug}/attempts`, { client_id: unique('client') })
  if (status !== 200) return { status, body }
  const { id, questions } = body.attempt
  if (isRight) {
    const payload = { seq: 1, answer: rightAnswerTo(questions[0]) }
    await caller.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/0`, payload })
  }
  return { status, body: (await caller.post(`/api/tests/attempts/${id}/submit`)).body }
}

let issued = 1_000_000

/** Stores a certificate of an occurrence that does not exist, and returns its code. */
export async function issueCertificate(
  db: Kysely<Database>,
  assignment: { id: number; title: string },
  user_id: number,
  given: { name: string; personnel_number?: string; completed_on?: string; valid_until?: string | null },
): Promise<string> {
  const { name, personnel_number = null, completed_on = '2026-06-01', valid_until = null } = given
  const { id: assignment_id, title } = assignment
  const part = { kind: 'deck' as const, title: 'Fluchtwege', done_on: completed_on, share_percent: null }
  const content = { title, period: '2026-01-01', completed_on, valid_until, parts: [part] }
  const snapshot = writeSnapshot({ format: 2, issuer: null, name, personnel_number, ...content })
  const code = createCode()
  issued++
  const keys = { code, user_id, assignment_id, occurrence_id: issued, retention_years: 2 }
  const issued_at = new Date('2026-06-01T10:00:00Z')
  await insertCertificates(db, [{ ...keys, snapshot, completed_on, valid_until, issued_at }])
  return code
}
