import type { Kysely } from 'kysely'
import { type Attempt, type AttemptQuestion, listAttemptQuestions } from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import { secondsLeft } from '../../domain/tests/deadline.js'
import { showQuestion } from '../../domain/tests/view.js'

export type ShownAttempt = ReturnType<typeof shownAttempt>

export async function showAttempt(db: Kysely<Database>, attempt: Attempt, now: Date): Promise<ShownAttempt> {
  return shownAttempt(attempt, await listAttemptQuestions(db, attempt.id), now)
}

export function shownAttempt(
  attempt: Pick<
    Attempt,
    'id' | 'slug' | 'lang' | 'version' | 'number' | 'deadline_at' | 'started_at' | 'ended_at' | 'definition'
  >,
  questions: readonly Pick<AttemptQuestion, 'slot' | 'content' | 'places' | 'seq' | 'answer'>[],
  now: Date,
) {
  const { definition, deadline_at, ended_at } = attempt
  return {
    id: attempt.id,
    slug: attempt.slug,
    lang: attempt.lang,
    version: attempt.version,
    number: attempt.number,
    name: definition.name,
    pages: definition.pages,
    state: stateOf(ended_at),
    started_at: attempt.started_at,
    deadline: deadline_at,
    seconds_left: ended_at === null ? secondsLeft(deadline_at, now) : 0,
    questions: questions.map(({ slot, content, places, seq, answer }) => ({
      slot,
      ...showQuestion(content, places),
      points: 1,
      seq,
      answer,
    })),
  }
}

export function stateOf(ended_at: Date | null): 'open' | 'submitted' {
  return ended_at === null ? 'open' : 'submitted'
}
