import { type Kysely, sql } from 'kysely'
import pLimit from 'p-limit'
import type { Database } from '../types.js'

/** Cards of one deck. */
export interface ExportBatch {
  deck_name: string
  cards: { question: string; answer: string; level: string }[]
}

const BATCH_SIZE = 500

/** Other requests wait behind so many batches at most, however many downloads begin at once. */
const readInTurn = pLimit(2)

/**
 * All live cards, ordered by deck and within the deck, in batches of short statements: between two of them no
 * connection is held, however slowly the batches are consumed. The next batch is read while one is consumed.
 */
export async function* exportCards(db: Kysely<Database>): AsyncGenerator<ExportBatch> {
  const decks = await db
    .selectFrom('decks')
    .select(['id', 'name as deck_name'])
    .where('archived_at', 'is', null)
    .orderBy('sort_order')
    .orderBy('name')
    .orderBy('id')
    .execute()
  for (const { id, deck_name } of decks) {
    const read = (after: { sort_order: number; id: number }) => readInTurn(() => nextBatch(db, id, after))
    let next: ReturnType<typeof nextBatch> | undefined = read({ sort_order: -(2 ** 31), id: -(2 ** 31) })
    while (next !== undefined) {
      const batch: Awaited<typeof next> = await next
      const last = batch.at(-1)
      next = last === undefined || batch.length < BATCH_SIZE ? undefined : read(last)
      // A failure is thrown where the batch is awaited, unless the consumer has gone by then.
      next?.catch(() => {})
      if (batch.length > 0) yield { deck_name, cards: batch }
    }
  }
}

type BatchRow = ExportBatch['cards'][number] & { id: number; sort_order: number }

/** As text: the query builder took longer to build the statement than the database to find its first row. */
async function nextBatch(db: Kysely<Database>, deckId: number, after: { sort_order: number; id: number }) {
  const { rows } = await sql<BatchRow>`
    select id, sort_order, question, answer, level
    from cards
    where deck_id = ${deckId} and archived_at is null
      and (sort_order, id) > (${after.sort_order}::integer, ${after.id}::integer)
    order by sort_order, id
    limit ${BATCH_SIZE}`.execute(db)
  return rows
}
