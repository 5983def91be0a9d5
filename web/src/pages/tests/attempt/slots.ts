import type { StoredAnswer } from '../../../storage/answer.js'
import type { GivenAnswer, Question } from '../types.js'

/**
 * `typed`: not stored yet; `waiting`: stored on this device; `saved`: confirmed by the service; `refused`: refused by
 * the service; `newer`: the service or another tab had a newer answer, which is shown instead of the user's.
 */
export type SlotState = 'empty' | 'typed' | 'waiting' | 'saved' | 'refused' | 'newer'

/** The answer to a question as the page shows it */
export interface Slot {
  answer: GivenAnswer | null
  /** Number of the latest answer that this page knows */
  seq: number
  state: SlotState
  /** Message of the service about a refusal */
  message?: string
  /** The user's answer that a newer one has displaced */
  mine?: GivenAnswer
}

type Known = Pick<Question, 'seq' | 'answer'>

/** Returns whether two answers are equal, regardless of the order of options and gaps */
export function isSameAnswer(one: GivenAnswer | null, other: GivenAnswer | null): boolean {
  return JSON.stringify(canonical(one)) === JSON.stringify(canonical(other))
}

function canonical(answer: GivenAnswer | null): unknown {
  if (answer === null) return null
  if ('option_ids' in answer) return [...answer.option_ids].sort()
  if ('gaps' in answer) return Object.entries(answer.gaps).sort(([one], [other]) => (one < other ? -1 : 1))
  return answer
}

/** Returns whether the question is answered. An answer that was cleared again is empty, so it does not count. */
export function isAnswered(answer: GivenAnswer | null): boolean {
  if (answer === null) return false
  if ('option_ids' in answer) return answer.option_ids.length > 0
  if ('text' in answer) return answer.text.trim() !== ''
  if ('item_ids' in answer) return answer.item_ids.length > 0
  return Object.values(answer.gaps).some((text) => text.trim() !== '')
}

/** Returns whether the question is answered completely, including each gap */
export function isComplete({ gaps = [] }: Pick<Question, 'gaps'>, answer: GivenAnswer | null): boolean {
  if (answer === null || !('gaps' in answer)) return isAnswered(answer)
  return gaps.every(({ id }) => (answer.gaps[id] ?? '').trim() !== '')
}

/** Returns the state of a question from the answer of the service and the unsent answer of this device. */
export function openSlot(known: Known, kept: StoredAnswer | undefined): Slot {
  const { answer, seq } = known
  const confirmed: Slot = { answer, seq, state: answer === null ? 'empty' : 'saved' }
  if (kept === undefined) return confirmed
  const { refusal } = kept
  const own: Slot = { answer: kept.answer, seq: kept.seq, state: 'waiting' }
  if (refusal !== undefined && refusal.status !== 409) {
    // After a 404, the answer is sent again, because another user may have been logged in. Other refusals remain, such
    // as that of an unreadable number.
    return refusal.status === 404 ? own : { ...own, state: 'refused', message: refusal.message }
  }
  return reconcile(own, known)
}

/**
 * Returns the state after an answer of the service, or of another tab, has become known. A newer answer is shown; the
 * user's answer that it displaces is kept in `mine`.
 */
export function reconcile(slot: Slot, { seq, answer }: Known): Slot {
  const isOwnPending = slot.state === 'typed' || slot.state === 'waiting' || slot.state === 'refused'
  const base = slot.state === 'waiting' || slot.state === 'refused' ? slot.seq - 1 : slot.seq
  if (seq <= base) return slot
  if (isSameAnswer(slot.answer, answer)) {
    return { answer, seq, state: answer === null ? 'empty' : 'saved', ...(slot.mine && { mine: slot.mine }) }
  }
  if (isOwnPending && slot.answer !== null) return { answer, seq, state: 'newer', mine: slot.answer }
  return {
    answer,
    seq,
    state: answer === null ? 'empty' : slot.state === 'newer' ? 'newer' : 'saved',
    ...(slot.mine && { mine: slot.mine }),
  }
}
