import type { Kysely } from 'kysely'
import { listOtherVariants } from '../../../db/queries/content/preferred.js'
import type { Database } from '../../../db/types.js'
import type { Learner } from '../../domain/content/learner.js'
import { type Search, searchAll } from './search.js'

/**
 * Searches as `searchAll` does. Of a group, only the learner's variant is searched, and the others if nothing was found.
 */
export async function searchFor(
  db: Kysely<Database>,
  learner: Learner,
  q: string,
  limit: number,
  pause: (started: number) => Promise<void>,
): Promise<Search> {
  const decks = await listOtherVariants(db, 'deck', learner)
  const sheets = await listOtherVariants(db, 'sheet', learner)
  const others = [
    ...decks.map((id) => ({ kind: 'deck' as const, id })),
    ...sheets.map((id) => ({ kind: 'cheatsheet' as const, id })),
  ]
  const found = await searchAll(db, q, limit, others, pause)
  return found.hits.length > 0 || others.length === 0 ? found : searchAll(db, q, limit, [], pause)
}
