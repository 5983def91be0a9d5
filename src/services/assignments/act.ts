import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntries, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { updateStates } from '../../../db/queries/assignments/completion.js'
import {
  addAttempt,
  findSheetPart,
  insertDoneParts,
  listPartKinds,
  lockOccurrences,
  lockSheet,
  type OccurrenceOwner,
  reopenMissed,
  type SheetPart,
  updateOccurrence,
} from '../../../db/queries/assignments/occurrences.js'
import type { Database } from '../../../db/types.js'
import type { PartKind } from '../../domain/assignments/assignment.js'
import { isLocked } from '../../domain/assignments/part-state.js'
import { dueOf, isOpen } from '../../domain/assignments/plan.js'
import {
  HELD_TOO_EARLY,
  NO_SUCH_PART,
  OCCURRENCE_CLOSED,
  OCCURRENCE_NOT_FOUND,
  OCCURRENCE_NOT_MISSED,
  OWN_PERSONAL_PART,
  PART_NOT_OPEN_YET,
  SHEET_CHANGED,
} from '../../domain/assignments/refusals.js'
import { InvalidField, type Refusal } from '../../domain/refusal.js'
import { pickVariant, withChosen } from '../../domain/text/language.js'
import { issueCertificates } from '../certificates/issue.js'
import { createOnce, type FormRequest } from '../create-once.js'
import { refuseOwn } from './own-duties.js'
import { type AssignmentContext, planOccurrences, planPerson } from './plan.js'

export interface SheetConfirmation {
  /** Id of the occurrence */
  id: number
  /** Position of the part */
  part: number
  /** Language in which the person has read the sheet; undefined for that in which it is shown */
  lang: string | undefined
  /** Languages of the person, best first, in which the sheet is shown unless the person has chosen one for it */
  languages: readonly string[]
  /** Version of the text that the person has read; undefined if the client does not send it */
  version: number | undefined
  /** `updated_at` of that text, from clients that do not know versions */
  updatedAt: Date | undefined
}

/**
 * Records that a person has read the sheet of a part. Does nothing if this is already recorded or the occurrence is
 * done.
 * @throws OCCURRENCE_NOT_FOUND if the person has no such occurrence
 * @throws NO_SUCH_PART if the part does not exist or is not a sheet
 * @throws OCCURRENCE_CLOSED if the occurrence is not open
 * @throws PART_NOT_OPEN_YET if the assignment is ordered and an earlier part is not done
 * @throws InvalidField if the sheet does not exist in the language
 * @throws SHEET_CHANGED if the text has changed since it was read
 */
export async function confirmSheet(
  db: Kysely<Database>,
  userId: number,
  { id, part, lang, languages, version, updatedAt }: SheetConfirmation,
  context: AssignmentContext,
): Promise<void> {
  // Closes the occurrence if its time is over.
  await planPerson(db, userId, context)
  await db.transaction().execute(async (transaction) => {
    const [occurrence] = await lockOccurrences(transaction, [id])
    if (occurrence?.user_id !== userId) throw OCCURRENCE_NOT_FOUND
    const found = await findSheetPart(transaction, occurrence, part)
    if (found === undefined) throw NO_SUCH_PART.at('part')
    // A retry succeeds, even if the first request completed the occurrence.
    if (occurrence.state === 'done' || found.is_confirmed) return
    if (!isOpen(occurrence)) throw OCCURRENCE_CLOSED
    if (isLocked(occurrence, part, new Set(occurrence.done))) throw PART_NOT_OPEN_YET
    const read = chooseSheet(found, lang, languages)
    const sheet = read && (await lockSheet(transaction, read.id))
    // The certificate refers to the text at the time of the confirmation, so this must be the text that was read.
    if (version !== undefined && version !== sheet?.version) throw SHEET_CHANGED
    if (updatedAt !== undefined && updatedAt.getTime() !== sheet?.updated_at.getTime()) throw SHEET_CHANGED
    const done_at = context.moment().at
    const text = { sheet_version: sheet?.version ?? null, lang: read?.lang ?? null, content_id: read?.id ?? null }
    await insertDoneParts(transaction, [{ occurrence_id: id, position: part, done_at, ...text }])
    await updateStates(transaction, { ids: [id] }, context.timeZone)
    await issueCertificates(transaction, { ids: [id] }, context)
  })
}

/** @throws InvalidField if there is no sheet in the language */
function chooseSheet(
  { sheets, chosen }: SheetPart,
  lang: string | undefined,
  languages: readonly string[],
): SheetPart['sheets'][number] | undefined {
  const [original, ...variants] = sheets
  if (original === undefined) return undefined
  if (lang === undefined) return pickVariant([original, ...variants], withChosen(languages, chosen))
  const found = sheets.find((sheet) => sheet.lang.toLowerCase() === lang.toLowerCase())
  if (found === undefined) throw new InvalidField('lang', 'nennt eine Sprache, in der es den Spickzettel nicht gibt')
  return found
}

export interface PersonalConfirmation {
  ids: readonly number[]
  /** Day of the instruction (`YYYY-MM-DD`) */
  held_on: string
  note: string | null
}

/**
 * Confirms the personal parts of occurrences, all or none, with an audit entry for each occurrence.
 * @param instructor display name of the person who confirms
 * @throws OCCURRENCE_NOT_FOUND if one of the occurrences does not exist
 * @throws OWN_PERSONAL_PART if one of the occurrences belongs to the actor
 * @throws OCCURRENCE_CLOSED if one of the occurrences is not open
 * @throws HELD_TOO_EARLY if `held_on` is in the future, before the period of an occurrence or before its renewal
 * @throws NO_SUCH_PART if the assignment of an occurrence has no personal part
 * @throws PART_NOT_OPEN_YET if the personal parts of an occurrence wait for an earlier part
 */
export async function confirmPersonal(
  db: Kysely<Database>,
  actor: Actor,
  { ids, held_on, note }: PersonalConfirmation,
  instructor: string,
  context: AssignmentContext,
): Promise<void> {
  const { at, today } = context.moment()
  const distinct = [...new Set(ids)]
  await planOccurrences(db, distinct, context)
  await db.transaction().execute(async (transaction) => {
    const occurrences = await lockOccurrences(transaction, distinct)
    if (occurrences.length < distinct.length) throw OCCURRENCE_NOT_FOUND.at('ids')
    refuseOwn(actor, occurrences, OWN_PERSONAL_PART)
    const positions = new Map<number, number[]>()
    const confirmed = new Map<number, number[]>()
    for (const occurrence of occurrences) {
      if (!isOpen(occurrence)) throw OCCURRENCE_CLOSED.at('ids')
      const { assignment_id, period, counts_from } = occurrence
      // After a renewal, `counts_from` is later than the period.
      const countsFrom = context.moment(counts_from).today
      if (held_on > today || held_on < period || held_on < countsFrom) throw HELD_TOO_EARLY
      const found = positions.get(assignment_id) ?? (await positionsOf(transaction, occurrence, 'personal'))
      if (found.length === 0) throw NO_SUCH_PART.at('ids')
      positions.set(assignment_id, found)
      const open = openPersonal(occurrence, found)
      if (open.length === 0) throw PART_NOT_OPEN_YET.at('ids')
      confirmed.set(occurrence.id, open)
    }
    await insertDoneParts(
      transaction,
      occurrences.flatMap(({ id }) =>
        (confirmed.get(id) ?? []).map((position) => ({
          occurrence_id: id,
          position,
          done_at: at,
          held_on,
          confirmed_by: instructor,
          note,
        })),
      ),
    )
    await updateStates(transaction, { ids: distinct }, context.timeZone)
    await issueCertificates(transaction, { ids: distinct }, context)
    await insertAuditEntries(
      transaction,
      actor,
      occurrences.map(({ id, title, username }) => ({
        action: 'occurrence.confirm' as const,
        target_id: id,
        target: title,
        details: { username, held_on },
      })),
    )
  })
}

/** Returns the personal parts that do not wait for others. A personal part does not wait for one confirmed with it. */
function openPersonal({ ordered, done }: Pick<OccurrenceOwner, 'ordered' | 'done'>, positions: number[]): number[] {
  const known = new Set(done)
  return positions.filter((position) => {
    if (isLocked({ ordered }, position, known)) return false
    known.add(position)
    return true
  })
}

export interface Decision {
  /** Id of the occurrence */
  id: number
  reason: string
  /** Last day that an exemption or recognition covers, or new due day of an extension (`YYYY-MM-DD`) */
  until?: string | undefined
}

/**
 * Exempts a person from an occurrence, with an audit entry.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED if the occurrence does not exist or is not open, for example because
 * the person has completed it
 * @throws OWN_OCCURRENCE if the occurrence belongs to the actor
 * @throws InvalidInput if `until` is in the past
 */
export function exempt(
  db: Kysely<Database>,
  actor: Actor,
  decision: Decision,
  context: AssignmentContext,
): Promise<void> {
  return finish(db, actor, decision, context, { state: 'exempt', action: 'occurrence.exempt' })
}

/**
 * Completes an occurrence by recognising an external certificate, with an audit entry.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED if the occurrence does not exist or is not open, for example because
 * the person has completed it
 * @throws OWN_OCCURRENCE if the occurrence belongs to the actor
 * @throws InvalidInput if `until` is in the past
 */
export function recognise(
  db: Kysely<Database>,
  actor: Actor,
  decision: Decision,
  context: AssignmentContext,
): Promise<void> {
  return finish(db, actor, decision, context, { state: 'recognised', action: 'occurrence.recognise' })
}

async function finish(
  db: Kysely<Database>,
  actor: Actor,
  { id, reason, until }: Decision,
  context: AssignmentContext,
  { state, action }: { state: 'exempt' | 'recognised'; action: 'occurrence.exempt' | 'occurrence.recognise' },
): Promise<void> {
  const { at, today } = context.moment()
  if (until !== undefined && until < today) throw new InvalidField('until', 'darf nicht vergangen sein')
  await planOccurrences(db, [id], context)
  await db
    .transaction()
    .execute((transaction) =>
      decide(transaction, actor, { id, action, details: { reason, until } }, () =>
        updateOccurrence(transaction, id, { state, reason, covered_until: until ?? null, done_at: at, done_on: today }),
      ),
    )
}

/**
 * Moves the due day of an occurrence to `until`, with an audit entry.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED if the occurrence does not exist or is not open
 * @throws OWN_OCCURRENCE if the occurrence belongs to the actor
 * @throws InvalidInput if `until` is missing or not later than the current due day
 */
export async function extend(
  db: Kysely<Database>,
  actor: Actor,
  { id, reason, until }: Decision,
  context: AssignmentContext,
): Promise<void> {
  if (until === undefined) throw new InvalidField('until', 'fehlt')
  await planOccurrences(db, [id], context)
  const details = { reason, until }
  await db.transaction().execute((transaction) =>
    decide(transaction, actor, { id, action: 'occurrence.extend', details }, (occurrence) => {
      if (until <= dueOf(occurrence)) throw new InvalidField('until', 'muss nach dem bisherigen Tag liegen')
      return updateOccurrence(transaction, id, { extended_until: until, reason })
    }),
  )
}

/**
 * Opens a missed occurrence again until the end of a day, beside the one of the current period, with an audit entry.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_NOT_MISSED if the occurrence does not exist or is not missed
 * @throws OWN_OCCURRENCE if the occurrence belongs to the actor
 * @throws InvalidInput if `until` is missing or in the past
 */
export async function reopen(
  db: Kysely<Database>,
  actor: Actor,
  { id, reason, until }: Decision,
  context: AssignmentContext,
): Promise<void> {
  if (until === undefined) throw new InvalidField('until', 'fehlt')
  const { at, today } = context.moment()
  if (until < today) throw new InvalidField('until', 'darf nicht vergangen sein')
  await planOccurrences(db, [id], context)
  const deed = { id, action: 'occurrence.reopen' as const, details: { reason, until } }
  const reopened = { at, until, reason }
  await db.transaction().execute((transaction) =>
    decide(transaction, actor, deed, () => reopenMissed(transaction, id, reopened), {
      isDecidable: ({ state }) => state === 'missed',
      refusal: OCCURRENCE_NOT_MISSED,
    }),
  )
}

/**
 * Grants a person one more attempt at each test of an occurrence, with an audit entry. A repeated request grants none.
 * @throws OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED if the occurrence does not exist or is not open
 * @throws OWN_OCCURRENCE if the occurrence belongs to the actor
 * @throws NO_SUCH_PART if the assignment has no test
 * @throws ClientIdUsed if the client id belongs to another occurrence or reason
 */
export async function grantAttempt(
  db: Kysely<Database>,
  actor: Actor,
  { id, reason }: Decision,
  context: AssignmentContext,
  request?: FormRequest,
): Promise<void> {
  await planOccurrences(db, [id], context)
  const create = async (transaction: Transaction<Database>) => {
    await decide(transaction, actor, { id, action: 'occurrence.attempt', details: { reason } }, async (occurrence) => {
      if ((await positionsOf(transaction, occurrence, 'test')).length === 0) throw NO_SUCH_PART
      await addAttempt(transaction, id, reason)
    })
    return id
  }
  await db.transaction().execute((transaction) =>
    createOnce(transaction, request, {
      kind: 'attempt',
      input: { id, reason },
      create: () => create(transaction),
      name: async (id) => ({ id }),
    }),
  )
}

const OPEN_ONLY = { isDecidable: isOpen, refusal: OCCURRENCE_CLOSED }

async function decide(
  transaction: Transaction<Database>,
  actor: Actor,
  { id, action, details }: { id: number; action: Parameters<typeof insertAuditEntry>[2]['action']; details: object },
  change: (occurrence: OccurrenceOwner) => Promise<void>,
  { isDecidable, refusal }: { isDecidable: (occurrence: OccurrenceOwner) => boolean; refusal: Refusal } = OPEN_ONLY,
): Promise<void> {
  const [occurrence] = await lockOccurrences(transaction, [id])
  if (occurrence === undefined) throw OCCURRENCE_NOT_FOUND
  refuseOwn(actor, [occurrence])
  if (!isDecidable(occurrence)) throw refusal
  await change(occurrence)
  const { title, username } = occurrence
  const deed = { action, target_id: id, target: title, details: { username, ...details } }
  await insertAuditEntry(transaction, actor, deed)
}

async function positionsOf(
  transaction: Transaction<Database>,
  { assignment_id }: OccurrenceOwner,
  kind: PartKind,
): Promise<number[]> {
  const parts = await listPartKinds(transaction, assignment_id)
  return parts.flatMap((part) => (part.kind === kind ? [part.position] : []))
}
