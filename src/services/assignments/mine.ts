import type { Kysely } from 'kysely'
import type { OwnPart } from '../../../db/queries/assignments/assignments.js'
import { listOwnOccurrences, type OwnOccurrence } from '../../../db/queries/assignments/occurrences.js'
import type { Database } from '../../../db/types.js'
import { isLocked, partStateOf } from '../../domain/assignments/part-state.js'
import { dueOf, isOverdue } from '../../domain/assignments/plan.js'
import type { Learner } from '../../domain/content/learner.js'
import { pickVariant, withChosen } from '../../domain/text/language.js'
import { type AssignmentContext, planPerson } from './plan.js'

/** Maximum number of listed occurrences. Open ones come first, so normally only old ones are omitted. */
const MAX_OWN = 200

/**
 * Plans the assignments of a person and returns the person's occurrences: first the open ones by due day, then the
 * others, latest period first. Each part is shown in the language that the person has chosen for it, else in the first
 * possible one.
 */
export async function listMine(db: Kysely<Database>, { userId, languages }: Learner, context: AssignmentContext) {
  await planPerson(db, userId, context)
  const { today } = context.moment()
  const rows = await listOwnOccurrences(db, userId, { limit: MAX_OWN, timeZone: context.timeZone })
  return { today, occurrences: rows.map((row) => describe(row, today, languages)) }
}

/** Returns the part with the variant that the person gets, and the other ones of its group, the original first. */
function inLanguage(
  { variants, chosen, ...part }: OwnPart,
  { open_tests }: OwnOccurrence,
  languages: readonly string[],
): Omit<OwnPart, 'chosen'> {
  const { kind, slug, lang, title } = part
  if (slug === null || lang === null) return { ...part, variants: [] }
  const group = [{ slug, lang, title }, ...variants] as const
  // An attempt is taken in one language until it is submitted.
  const taken = kind === 'test' ? group.find((one) => open_tests.includes(one.slug)) : undefined
  const shown = taken ?? pickVariant(group, withChosen(languages, chosen))
  return { ...part, ...shown, variants: group.filter((one) => one !== shown) }
}

function describe(row: OwnOccurrence, today: string, languages: readonly string[]) {
  const { id, assignment_id, title, description, mandatory, responsible, period, state } = row
  const { extended_until, reason, covered_until, done_at, done_on, proof_code, proof_revoked_at } = row
  const done = new Map(row.done.map((part) => [part.position, part]))
  return {
    id,
    assignment: { id: assignment_id, title, description, mandatory, responsible },
    period,
    state,
    due: dueOf(row),
    overdue: isOverdue(row, today),
    extended_until,
    reason,
    covered_until,
    done_at,
    done_on,
    missed: row.missed,
    parts: row.parts.map((part, position) => {
      const fact = done.get(position)
      return {
        ...inLanguage(part, row, languages),
        state: partStateOf(row, fact !== undefined),
        locked: fact === undefined && isLocked(row, position, new Set(done.keys())),
        done_at: fact === undefined ? null : new Date(fact.done_at),
        done_on: fact?.done_on ?? null,
        held_on: fact?.held_on ?? null,
        confirmed_by: fact?.confirmed_by ?? null,
      }
    }),
    proof_code,
    proof_revoked_at,
  }
}
