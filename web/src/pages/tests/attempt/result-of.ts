import { queryOptions } from '@tanstack/svelte-query'
import { isRefused } from '../../../api/faults.js'
import { absoluteDay } from '../../../words/dates.js'
import { attempts } from '../tests-api.js'
import type { Review, Test } from '../types.js'

/** The result of an ended attempt, as far as the learner may see it. */
export interface ShownResult extends Omit<Review, 'pass_percent' | 'started_at' | 'version'> {
  pass_percent: number | null
  /** Reason why a part of the result is not shown */
  note?: string
}

/**
 * Query for the review of an attempt. If the learner may not see the review (403), the query returns the result from
 * the learner's list of attempts.
 */
export const resultQuery = (id: number) =>
  queryOptions({ queryKey: ['tests', 'result', id], queryFn: () => findResult(id) })

async function findResult(id: number): Promise<ShownResult> {
  try {
    return await attempts.review(id)
  } catch (error) {
    if (!isRefused(error, 403)) throw error
  }
  const { slug, lang, name, number } = await attempts.read(id)
  const plain = { id, slug, lang, name, number, answers_deleted: false, questions: null, ended_by: null }
  // Loading the test fails, for example, if the test was archived after the attempt. The result is then unknown.
  const test = await attempts.withOne(slug, number).catch(() => undefined)
  const own = test?.my_attempts.find((one) => one.id === id)
  return {
    ...plain,
    ended_at: own?.ended_at ?? null,
    passed: own?.passed ?? null,
    score_percent: own?.score_percent ?? null,
    pass_percent: test?.pass_percent ?? null,
    ...(test && { note: noteOf(test) }),
  }
}

function noteOf({ review, review_when, closes, attempts_left }: Test): string {
  if (review === 'none') return 'Zu diesem Test wird kein Ergebnis gezeigt.'
  if (review_when === 'closed') {
    return closes === null
      ? 'Das Ergebnis siehst du, sobald der Test geschlossen ist.'
      : `Das Ergebnis siehst du nach dem ${absoluteDay(closes)}.`
  }
  return attempts_left === null
    ? 'Die Lösungen siehst du, sobald du bestanden hast.'
    : 'Die Lösungen siehst du, sobald du bestanden hast oder kein Versuch mehr übrig ist.'
}
