import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntries, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  addAttempt,
  insertDoneParts,
  listPartKinds,
  lockOccurrences,
  lockSheetOfPart,
  type OccurrenceOwner,
  updateOccurrence,
} from '../../../db/queries/assignments/occurrences.js'
import { updateStates } from '../../../db/queries/assignments/settle.js'
import type { Database } from '../../../db/types.js'
import type { PartKind } from '../../domain/assignments/assignment.js'
import { dueOf, isOpen } from '../../domain/assignments/plan.js'
import {
  HELD_TOO_EARLY,
  NO_SUCH_PART,
  OCCURRENCE_CLOSED,
  OCCURRENCE_NOT_FOUND,
  OWN_PERSONAL_PART,
  SHEET_CHANGED,
} from '../../domain/assignments/refusals.js'
import { InvalidInput } from '../../domain/refusal.js'
import { issueProofs } from '../proofs/issue.js'
import type { AssignmentClock } from './plan.js'

/** The sheet of a part, as a person has read it */
export interface ReadSheet {
  id: number
  part: number
  /** Of the text that was read; undefined: the present one */
  updatedAt: Date | undefined
}

/**
 * Notes that a person has read the sheet of a part. Once noted it stays.
 * @throws OCCURRENCE_NOT_FOUND if it is not the person's, OCCURRENCE_CLOSED, NO_SUCH_PART if the part is not a sheet
 * @throws SHEET_CHANGED if another text than the given one is live
 */
export async function confirmSheet(
  db: Kysely<Database>,
  userId: number,
  { id, part, updatedAt }: ReadSheet,
  clock: AssignmentClock,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const [occurrence] = await lockOccurrences(transaction, [id])
    if (occurrence?.user_id !== userId) throw OCCURRENCE_NOT_FOUND
    const sheet = await lockSheetOfPart(transaction, occurrence, part)
    if (sheet === undefined) throw NO_SUCH_PART
    // A retry succeeds, also after the last part is done.
    if (occurrence.state === 'done' || sheet.is_confirmed) return
    if (!isOpen(occurrence)) throw OCCURRENCE_CLOSED
    // The proof names the text at the time of the confirmation.
    if (updatedAt !== undefined && updatedAt.getTime() !== sheet.updated_at?.getTime()) throw SHEET_CHANGED
    await insertDoneParts(transaction, [{ occurrence_id: id, position: part, done_at: clock.moment().at }])
    await updateStates(transaction, { ids: [id] }, clock.timeZone)
    await issueProofs(transaction, { ids: [id] }, clock)
  })
}

/** The personal part of an instruction */
export interface Instruction {
  ids: readonly number[]
  held_on: string
  note: string | null
}

/**
 * Confirms the personal parts of occurrences, all or none, with an audit entry for each person.
 * @param instructor display name
 * @throws OWN_PERSONAL_PART, OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED, NO_SUCH_PART, HELD_TOO_EARLY
 */
export async function confirmPersonal(
  db: Kysely<Database>,
  actor: Actor,
  { ids, held_on, note }: Instruction,
  instructor: string,
  clock: AssignmentClock,
): Promise<void> {
  const { at, today } = clock.moment()
  const distinct = [...new Set(ids)]
  await db.transaction().execute(async (transaction) => {
    const occurrences = await lockOccurrences(transaction, distinct)
    if (occurrences.length < distinct.length) throw OCCURRENCE_NOT_FOUND
    if (occurrences.some(({ user_id }) => user_id === actor.actor_id)) throw OWN_PERSONAL_PART
    const positions = new Map<number, number[]>()
    for (const occurrence of occurrences) {
      if (!isOpen(occurrence)) throw OCCURRENCE_CLOSED
      if (held_on > today || held_on < occurrence.period) throw HELD_TOO_EARLY
      const { assignment_id } = occurrence
      const found = positions.get(assignment_id) ?? (await positionsOf(transaction, occurrence, 'personal'))
      if (found.length === 0) throw NO_SUCH_PART
      positions.set(assignment_id, found)
    }
    await insertDoneParts(
      transaction,
      occurrences.flatMap(({ id, assignment_id }) =>
        (positions.get(assignment_id) ?? []).map((position) => ({
          ...{ occurrence_id: id, position, done_at: at, held_on, confirmed_by: instructor, note },
        })),
      ),
    )
    await updateStates(transaction, { ids: distinct }, clock.timeZone)
    await issueProofs(transaction, { ids: distinct }, clock)
    await insertAuditEntries(
      transaction,
      actor,
      occurrences.map(({ id, title, username }) => ({
        ...{ action: 'occurrence.confirm' as const, target_id: id, target: title },
        details: { username, held_on },
      })),
    )
  })
}

/** A decision of the responsible person about an open occurrence */
export interface Decision {
  id: number
  reason: string
  until?: string | undefined
}

/** Frees a person from an occurrence. @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED */
export function exempt(db: Kysely<Database>, actor: Actor, decision: Decision, clock: AssignmentClock): Promise<void> {
  return finish(db, actor, decision, clock, { state: 'exempt', action: 'occurrence.exempt' })
}

/** Recognises an external proof. @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED */
export function recognise(
  db: Kysely<Database>,
  actor: Actor,
  decision: Decision,
  clock: AssignmentClock,
): Promise<void> {
  return finish(db, actor, decision, clock, { state: 'recognised', action: 'occurrence.recognise' })
}

async function finish(
  db: Kysely<Database>,
  actor: Actor,
  { id, reason, until }: Decision,
  { moment }: AssignmentClock,
  { state, action }: { state: 'exempt' | 'recognised'; action: 'occurrence.exempt' | 'occurrence.recognise' },
): Promise<void> {
  const { at, today } = moment()
  if (until !== undefined && until < today) throw new InvalidInput('Das Feld „until“ darf nicht vergangen sein')
  await decide(db, actor, { id, action, details: { reason, until } }, (transaction) =>
    updateOccurrence(transaction, id, { state, reason, covered_until: until ?? null, done_at: at, done_on: today }),
  )
}

/**
 * Gives a person more time.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED
 * @throws InvalidInput if the new day is missing or not later than the present one
 */
export async function extend(db: Kysely<Database>, actor: Actor, { id, reason, until }: Decision): Promise<void> {
  if (until === undefined) throw new InvalidInput('Das Feld „until“ fehlt')
  const details = { reason, until }
  await decide(db, actor, { id, action: 'occurrence.extend', details }, (transaction, occurrence) => {
    if (until <= dueOf(occurrence)) throw new InvalidInput('Das Feld „until“ muss nach dem bisherigen Tag liegen')
    return updateOccurrence(transaction, id, { extended_until: until, reason })
  })
}

/**
 * Gives a person one more attempt at the tests of an occurrence.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED, NO_SUCH_PART if it has no test
 */
export async function grantAttempt(db: Kysely<Database>, actor: Actor, { id, reason }: Decision): Promise<void> {
  await decide(
    db,
    actor,
    { id, action: 'occurrence.attempt', details: { reason } },
    async (transaction, occurrence) => {
      if ((await positionsOf(transaction, occurrence, 'test')).length === 0) throw NO_SUCH_PART
      await addAttempt(transaction, id, reason)
    },
  )
}

async function decide(
  db: Kysely<Database>,
  actor: Actor,
  { id, action, details }: { id: number; action: Parameters<typeof insertAuditEntry>[2]['action']; details: object },
  change: (transaction: Transaction<Database>, occurrence: OccurrenceOwner) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const [occurrence] = await lockOccurrences(transaction, [id])
    if (occurrence === undefined) throw OCCURRENCE_NOT_FOUND
    if (!isOpen(occurrence)) throw OCCURRENCE_CLOSED
    await change(transaction, occurrence)
    const { title, username } = occurrence
    const deed = { action, target_id: id, target: title, details: { username, ...details } }
    await insertAuditEntry(transaction, actor, deed)
  })
}

async function positionsOf(
  transaction: Transaction<Database>,
  { assignment_id }: OccurrenceOwner,
  kind: PartKind,
): Promise<number[]> {
  const parts = await listPartKinds(transaction, assignment_id)
  return parts.flatMap((part) => (part.kind === kind ? [part.position] : []))
}
