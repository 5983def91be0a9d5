import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockAccount } from '../../../db/queries/accounts/users.js'
import {
  deleteAssignment,
  findAssignment,
  findPartContent,
  hasDoneParts,
  insertAssignment,
  lockAssignment,
  type NewPart,
  type Reader,
  raiseEditVersion,
  restartOccurrences,
  type StoredAssignment,
  updateAssignment,
  writeAudience,
  writeParts,
} from '../../../db/queries/assignments/assignments.js'
import type { Database } from '../../../db/types.js'
import { type AssignmentInput, checkDates, type PartInput } from '../../domain/assignments/assignment.js'
import {
  ASSIGNMENT_NOT_FOUND,
  AUDIENCE_TEAM_NOT_FOUND,
  PARTS_IN_USE,
  PartIsVariant,
  PERSON_NOT_FOUND,
} from '../../domain/assignments/refusals.js'
import { daysAfterJoining } from '../../domain/assignments/schedule.js'
import { NOT_FOUND_BY_KIND, requireVersion } from '../../domain/content/refusals.js'
import { isStorable } from '../../domain/text/text.js'
import { createOnce, type FormRequest } from '../create-once.js'
import { keepOwnDuties } from './own-duties.js'
import { type AssignmentContext, completeOccurrences, dueRuleOf, planAssignment, startsOf } from './plan.js'

/**
 * Creates an assignment, writes an audit entry and plans the assignment for its audience. A repeated request creates none
 * and returns the assignment in its current state.
 * @throws InvalidInput if the due day precedes the first day
 * @throws PERSON_NOT_FOUND, AUDIENCE_TEAM_NOT_FOUND if the responsible person or a part of the audience does not exist
 * @throws a refusal of `NOT_FOUND_BY_KIND` if the content of a part does not exist
 * @throws ClientIdUsed if the client id belongs to another assignment
 * @throws ASSIGNMENT_NOT_FOUND if the creator may no longer see the assignment of the first request
 */
export async function createAssignment(
  db: Kysely<Database>,
  actor: Actor,
  input: AssignmentInput,
  { request, reader }: { request: FormRequest; reader: Reader },
  context: AssignmentContext,
): Promise<StoredAssignment> {
  checkDates(input)
  const { today } = context.moment()
  const id = await db.transaction().execute((transaction) =>
    createOnce(transaction, request, {
      kind: 'assignment',
      input,
      create: () => insert(transaction, actor, input, today),
      name: async (known) => (await findAssignment(transaction, known)) && { id: known },
    }),
  )
  await planAssignment(db, id, context)
  return find(db, id, reader)
}

async function insert(
  transaction: Transaction<Database>,
  actor: Actor,
  input: AssignmentInput,
  today: string,
): Promise<number> {
  const { title, description, audience, mandatory, ordered, retention_years, responsible_id } = input
  await keepResponsible(transaction, responsible_id)
  const created = await insertAssignment(transaction, {
    title,
    description,
    mandatory,
    ordered,
    retention_years,
    responsible_id,
    created_by: actor.actor_id,
    created_on: today,
    ...scheduleOf(input),
    everybody_from: audience.everybody ? today : null,
  })
  await writeParts(transaction, created, await findParts(transaction, input.parts))
  await assignTo(transaction, created, audience, today)
  const details = { audience, mandatory }
  await insertAuditEntry(transaction, actor, {
    action: 'assignment.create',
    target_id: created,
    target: title,
    details,
  })
  return created
}

/**
 * Changes an assignment and writes an audit entry. Changed dates apply only to periods that are not planned yet.
 * @param version version that the change is based on; undefined skips the check
 * @throws ASSIGNMENT_NOT_FOUND if the assignment does not exist
 * @throws VersionOutdated if the assignment has changed since `version`
 * @throws PARTS_IN_USE if the parts would change although a person has already completed one of them
 * @throws OWN_OCCURRENCE if the change would release the actor from an open mandatory occurrence
 * @throws the refusals of `createAssignment` for the given fields
 */
export async function changeAssignment(
  db: Kysely<Database>,
  actor: Actor,
  { id, change, version }: { id: number; change: Partial<AssignmentInput>; version: number | undefined },
  context: AssignmentContext,
): Promise<StoredAssignment> {
  const { today } = context.moment()
  // Marks finished parts, so that the change of parts is refused instead of losing them.
  if (change.parts !== undefined) await completeOccurrences(db, { assignmentId: id }, context)
  await db.transaction().execute(async (transaction) => {
    const before = await lockAssignment(transaction, id)
    if (before === undefined) throw ASSIGNMENT_NOT_FOUND
    requireVersion(version, before.edit_version)
    const { parts, audience, starts, due, recurrence, ...rest } = change
    checkDates({ starts: starts ?? startsOf(before), due: due ?? dueRuleOf(before) })
    await keepResponsible(transaction, change.responsible_id)
    await keepOwnDuties(transaction, actor, async () => {
      const columns = {
        ...rest,
        ...scheduleOf({ starts, due, recurrence }),
        ...(audience && { everybody_from: audience.everybody ? (before.everybody_from ?? today) : null }),
      }
      await updateAssignment(transaction, id, columns)
      const hasNewParts = parts !== undefined && (await changeParts(transaction, before, parts))
      if (audience !== undefined) await assignTo(transaction, id, audience, today)
      const isChanged = hasNewParts || !hasColumns(before, columns) || !isAudienceOf(before, audience)
      if (isChanged) await raiseEditVersion(transaction, id)
    })
    const fields = Object.keys(change)
    if (fields.length === 0) return
    const details = { fields, ...(audience && { audience }) }
    const target = change.title ?? before.title
    await insertAuditEntry(transaction, actor, { action: 'assignment.update', target_id: id, target, details })
  })
  await planAssignment(db, id, context)
  return find(db, id)
}

/**
 * Deletes an assignment with its occurrences and writes an audit entry. Done, exempt and recognised occurrences stay,
 * including finished ones that are not marked as done yet; if there are any, the assignment is archived instead. Does
 * nothing if the assignment does not exist.
 */
export async function removeAssignment(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  context: AssignmentContext,
): Promise<void> {
  await completeOccurrences(db, { assignmentId: id }, context)
  const { at } = context.moment()
  await db.transaction().execute(async (transaction) => {
    const before = await lockAssignment(transaction, id)
    if (before === undefined) return
    await deleteAssignment(transaction, id, at)
    await insertAuditEntry(transaction, actor, { action: 'assignment.delete', target_id: id, target: before.title })
  })
}

/**
 * Makes an assignment due again, because its content has changed: open occurrences are restarted, and persons of the
 * audience whose last occurrence is done or recognised get a new occurrence. Writes an audit entry.
 * @throws ASSIGNMENT_NOT_FOUND if the assignment does not exist
 */
export async function renewAssignment(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  context: AssignmentContext,
): Promise<StoredAssignment> {
  // Plans first, so that parts that were completed before the renewal still count.
  await planAssignment(db, id, context)
  const { at, today } = context.moment()
  await db.transaction().execute(async (transaction) => {
    const before = await lockAssignment(transaction, id)
    if (before === undefined) throw ASSIGNMENT_NOT_FOUND
    const version = before.version + 1
    await updateAssignment(transaction, id, { version, renewed_on: today, renewed_at: at })
    await restartOccurrences(transaction, id, { version, at })
    const details = { version }
    const target = before.title
    await insertAuditEntry(transaction, actor, { action: 'assignment.renew', target_id: id, target, details })
  })
  await planAssignment(db, id, context)
  return find(db, id)
}

/**
 * Records that the changes of an assignment's content up to `until` were only corrections, so that no renewal is
 * needed. Writes an audit entry.
 * @throws ASSIGNMENT_NOT_FOUND if the assignment does not exist
 */
export async function acceptCorrection(db: Kysely<Database>, actor: Actor, id: number, until: Date): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const before = await lockAssignment(transaction, id)
    if (before === undefined) throw ASSIGNMENT_NOT_FOUND
    await updateAssignment(transaction, id, { corrected_at: until })
    await insertAuditEntry(transaction, actor, { action: 'assignment.correct', target_id: id, target: before.title })
  })
}

async function find(db: Kysely<Database>, id: number, reader?: Reader): Promise<StoredAssignment> {
  const stored = await findAssignment(db, id, reader)
  // A concurrent request may have deleted the assignment.
  if (stored === undefined) throw ASSIGNMENT_NOT_FOUND
  return stored
}

type Dates = Pick<AssignmentInput, 'starts' | 'due' | 'recurrence'>
type DateColumns = Pick<
  StoredAssignment,
  'starts_on' | 'starts_days' | 'due_on' | 'due_days' | 'every_months' | 'window_end' | 'opens_days_before'
>

function scheduleOf(dates: Dates): DateColumns
function scheduleOf(dates: { [Name in keyof Dates]: Dates[Name] | undefined }): Partial<DateColumns>
function scheduleOf({ starts, due, recurrence }: { [Name in keyof Dates]: Dates[Name] | undefined }) {
  return {
    ...(starts !== undefined && {
      starts_on: typeof starts === 'string' ? starts : null,
      starts_days: daysAfterJoining(starts) || null,
    }),
    ...(due !== undefined && {
      due_on: typeof due === 'string' ? due : null,
      due_days: typeof due === 'string' ? null : due.days_after_start,
    }),
    ...(recurrence !== undefined && {
      every_months: recurrence?.every_months ?? null,
      window_end: recurrence?.window_end ?? null,
      opens_days_before: recurrence?.opens_days_before ?? null,
    }),
  }
}

async function keepResponsible(transaction: Transaction<Database>, id: number | null | undefined): Promise<void> {
  if (id === undefined || id === null) return
  if ((await lockAccount(transaction, id)) === undefined) throw PERSON_NOT_FOUND.at('responsible_id')
}

async function assignTo(
  transaction: Transaction<Database>,
  id: number,
  { team_ids, user_ids }: AssignmentInput['audience'],
  today: string,
): Promise<void> {
  const missing = await writeAudience(transaction, id, { team_ids, user_ids }, today)
  if (missing === 'teams') throw AUDIENCE_TEAM_NOT_FOUND.at('audience/team_ids')
  if (missing === 'users') throw PERSON_NOT_FOUND.at('audience/user_ids')
}

function hasColumns(stored: StoredAssignment, columns: Partial<StoredAssignment>): boolean {
  return (Object.keys(columns) as (keyof StoredAssignment)[]).every((name) => stored[name] === columns[name])
}

function isAudienceOf({ team_ids, user_ids }: StoredAssignment, given: AssignmentInput['audience'] | undefined) {
  if (given === undefined) return true
  const isSame = (stored: number[], ids: number[]) =>
    stored.length === ids.length && ids.every((id) => stored.includes(id))
  return isSame(team_ids, given.team_ids) && isSame(user_ids, given.user_ids)
}

/** Replaces the parts if they differ; returns whether they do. */
async function changeParts(
  transaction: Transaction<Database>,
  before: StoredAssignment,
  given: readonly PartInput[],
): Promise<boolean> {
  const parts = await findParts(transaction, given)
  const isSame = parts.every((part, index) => isSamePart(given[index], before.parts[index], part))
  if (isSame && parts.length === before.parts.length) return false
  if (await hasDoneParts(transaction, before.id)) throw PARTS_IN_USE
  await writeParts(transaction, before.id, parts)
  return true
}

function isSamePart(
  given: PartInput | undefined,
  stored: StoredAssignment['parts'][number] | undefined,
  part: NewPart,
) {
  if (given === undefined || stored === undefined || part.kind !== stored.kind) return false
  return given.kind === 'personal'
    ? given.title === stored.title
    : given.slug.normalize('NFC') === stored.slug && part.share_percent === stored.share_percent
}

async function findParts(db: Kysely<Database>, parts: readonly PartInput[]): Promise<NewPart[]> {
  const found: NewPart[] = []
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'personal') {
      found.push({ ...part, cheatsheet_id: null, test_id: null, deck_id: null, share_percent: null })
      continue
    }
    const named = isStorable(part.slug) ? await findPartContent(db, part.kind, part.slug) : undefined
    if (named === undefined) throw NOT_FOUND_BY_KIND[part.kind].at(`parts/${index}/slug`)
    const { content, original } = named
    if (original !== null) throw new PartIsVariant(index, part.slug, original)
    const share_percent = part.kind === 'deck' ? (part.share_percent ?? null) : null
    found.push({ ...content, kind: part.kind, share_percent })
  }
  return found
}
