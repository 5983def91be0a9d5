import type { PartKind } from './assignment.js'
import { isOpen, type Occurrence } from './plan.js'

export const PART_STATES = ['open', 'done', 'closed'] as const

/** `closed`: not done, but the occurrence is over. */
export type PartState = (typeof PART_STATES)[number]

/** Returns the state of a part of an occurrence. @example partStateOf({ state: 'exempt' }, false) // 'closed' */
export function partStateOf(occurrence: Pick<Occurrence, 'state'>, isDone: boolean): PartState {
  if (isDone) return 'done'
  return isOpen(occurrence) ? 'open' : 'closed'
}

/**
 * Returns whether a part has to wait for parts before it.
 * @param done positions of the parts that are done
 * @example isLocked({ ordered: true }, 1, new Set()) // true
 */
export function isLocked({ ordered }: { ordered: boolean }, position: number, done: ReadonlySet<number>): boolean {
  return ordered && Array.from({ length: position }, (_, earlier) => earlier).some((earlier) => !done.has(earlier))
}

/** Names of the kinds of parts in files for the company */
export const PART_NAMES: Readonly<Record<PartKind, string>> = {
  sheet: 'Unterlage',
  test: 'Test',
  deck: 'Deck',
  personal: 'Gespräch',
}

export interface DescribedPart {
  kind: PartKind
  title: string
  state: PartState
  /** Day of the completion, for a personal part of the instruction; null if the part is not done */
  done_on: string | null
}

/** Returns the parts of an occurrence with their state, for readers who must not see results. */
export function describeParts(
  parts: readonly Pick<DescribedPart, 'kind' | 'title'>[],
  { done, ...occurrence }: Pick<Occurrence, 'state'> & { done: readonly { position: number; done_on: string }[] },
): DescribedPart[] {
  const days = new Map(done.map(({ position, done_on }) => [position, done_on]))
  return parts.map(({ kind, title }, position) => ({
    kind,
    title,
    state: partStateOf(occurrence, days.has(position)),
    done_on: days.get(position) ?? null,
  }))
}
