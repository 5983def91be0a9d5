/** An answer to a question of a test, in the ids of the attempt */
export type GivenAnswer =
  | { option_ids: string[] }
  | { text: string }
  | { item_ids: string[] }
  | { gaps: Record<string, string> }

/** An answer that the service has not confirmed. There is one per question. */
export interface StoredAnswer {
  user: number
  attempt: number
  slot: number
  /** Grows with each answer to the question, on all devices */
  seq: number
  answer: GivenAnswer
  /** Milliseconds since the epoch, by this device's clock */
  at: number
  /** Set if the service has refused it; it is not sent again until the learner changes it. */
  refusal?: { status: number; message: string }
}

/** The answers on this device. Each function rejects if the browser stores nothing. */
export interface AnswerStore {
  /** Replaces an older answer to the question. */
  put(answer: StoredAnswer): Promise<void>
  find(user: number, attempt: number, slot: number): Promise<StoredAnswer | undefined>
  /** Returns the answers of the user, to all attempts, oldest first. */
  list(user: number): Promise<StoredAnswer[]>
  /** Removes the answer unless a newer one has replaced it. */
  remove(answer: StoredAnswer): Promise<void>
  /** Stores the refusal of the answer unless a newer one has replaced it. */
  refuse(answer: StoredAnswer, refusal: StoredAnswer['refusal']): Promise<void>
}
