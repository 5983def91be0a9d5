import type { GivenAnswer, StoredAnswer } from '../../../storage/answer.js'

/**
 * `typed`: not stored yet; `waiting`: stored on this device; `saved`: confirmed by the service; `refused`: refused by
 * the service; `newer`: the service or another tab had a newer answer, which is shown instead of the user's.
 */
export type SlotState = 'empty' | 'typed' | 'waiting' | 'saved' | 'refused' | 'newer'

export interface Slot {
  answer: GivenAnswer | null
  /** Sequence number of the latest answer that this page knows */
  seq: number
  state: SlotState
  message?: string
  /** The user's answer that a newer one has displaced */
  mine?: GivenAnswer
}

/** The answer of a question as the service has stored it */
interface Known {
  seq: number
  answer: GivenAnswer | null
}

/** Returns whether two answers are equal, regardless of the order of options and gaps */
export function isSameAnswer(one: GivenAnswer | null, other: GivenAnswer | null): boolean {
  return JSON.stringify(canonical(one)) === JSON.stringify(canonical(other))
}

function canonical(answer: GivenAnswer | null): unknown {
  if (answer?.option_ids !== undefined) return answer.option_ids.toSorted()
  if (answer?.gaps !== undefined) return Object.entries(answer.gaps).sort(([one], [other]) => (one < other ? -1 : 1))
  return answer
}

/** Returns whether the question has an answer; false for an answer that the user has cleared. */
export function isAnswered(answer: GivenAnswer | null): boolean {
  const { option_ids = [], item_ids = [], text = '', gaps = {} } = answer ?? {}
  const isTyped = [text, ...Object.values(gaps)].some((typed) => typed.trim() !== '')
  return isTyped || option_ids.length > 0 || item_ids.length > 0
}

export function isComplete({ gaps = [] }: { gaps?: { id: string }[] }, answer: GivenAnswer | null): boolean {
  const filled = answer?.gaps
  return filled === undefined ? isAnswered(answer) : gaps.every(({ id }) => (filled[id] ?? '').trim() !== '')
}

/** Returns the state of a question from the answer that the service has stored and the unsent one of this device. */
export function openSlot(known: Known, kept: StoredAnswer | undefined): Slot {
  const { answer, seq } = known
  const confirmed: Slot = { answer, seq, state: answer === null ? 'empty' : 'saved' }
  if (kept === undefined) return confirmed
  const { refusal } = kept
  const own: Slot = { answer: kept.answer, seq: kept.seq, state: 'waiting' }
  if (refusal !== undefined && refusal.status !== 409) {
    // After a 404, the answer is sent again, because another user may have been logged in. Other refusals remain, for
    // example because the answer is not a number.
    return refusal.status === 404 ? own : { ...own, state: 'refused', message: refusal.message }
  }
  return reconcile(own, known)
}

/**
 * Returns the state after an answer from the service or from another tab has arrived. A newer answer is shown; the
 * displaced answer of the user is stored in `mine`.
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
