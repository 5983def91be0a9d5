import type { paths } from '../../../dist/client/api.js'

type SavedAnswer = paths['/api/tests/attempts/{id}/answers/{slot}']['put']['requestBody']
/** An answer to a question of a test. The ids of options, items and gaps come from the attempt. */
export type GivenAnswer = SavedAnswer['content']['application/json']['answer']

/** An answer that the service has not confirmed; at most one per question. */
export interface StoredAnswer {
  user: number
  attempt: number
  slot: number
  /** Sequence number; each new answer to the question gets a higher number */
  seq: number
  answer: GivenAnswer
  /** Time of the answer in ms since the epoch, by this device's clock */
  at: number
  /**
   * Set if the service has refused the answer. A refused answer is not sent again until the learner changes it. After a
   * 404, the answer is also sent again when the learner opens the attempt.
   */
  refusal?: { status: number; message: string }
}

/** The answers on this device. Each function rejects if storage is unavailable, as in some private windows. */
export interface AnswerStore {
  /** Stores the answer in place of any earlier answer to the question. */
  put(answer: StoredAnswer): Promise<void>
  find(user: number, attempt: number, slot: number): Promise<StoredAnswer | undefined>
  /** Returns the user's answers in all attempts, oldest first. */
  list(user: number): Promise<StoredAnswer[]>
  /** Removes the answer unless a newer one has replaced it. */
  remove(answer: StoredAnswer): Promise<void>
  /** Stores the refusal of the answer unless a newer one has replaced it. */
  refuse(answer: StoredAnswer, refusal: StoredAnswer['refusal']): Promise<void>
}
