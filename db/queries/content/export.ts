import { setImmediate } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../types.js'
import { readInTurn } from '../read-in-turn.js'
import { deckOrder } from './decks.js'

export interface ExportBatch {
  deck_name: string
  cards: { question: string; answer: string; level: string }[]
}

const BATCH_SIZE = 500

/** A control character that texts hardly ever contain */
const SEPARATOR = '\u001e'

/**
 * Yields all live cards in the order of decks and of cards. Reads each batch with a short statement and holds no
 * connection between the batches, so that a slow consumer occupies none. Reads the next batch while the consumer
 * processes the previous one.
 */
export async function* exportCards(db: Kysely<Database>): AsyncGenerator<ExportBatch> {
  const decks = await db
    .selectFrom('decks')
    .select(['id', 'name as deck_name'])
    .where('archived_at', 'is', null)
    .orderBy(deckOrder('decks'))
    .execute()
  for (const { id, deck_name } of decks) {
    const read = (after: Position) => readInTurn(() => readBatch(db, id, after))
    let next: Promise<Batch> | undefined = read({ sort_order: -(2 ** 31), id: -(2 ** 31) })
    while (next !== undefined) {
      const { cards, last }: Batch = await next
      next = last === undefined ? undefined : read(last)
      // Prevents an unhandled rejection if the consumer stops; otherwise the error is thrown where the batch is
      // awaited.
      next?.catch(() => {})
      // Lets the statement be sent before the consumer's work, so that both run at the same time.
      await setImmediate()
      if (cards.length > 0) yield { deck_name, cards }
    }
  }
}

interface Position {
  sort_order: number
  id: number
}

interface Batch {
  cards: ExportBatch['cards']
  /** Position after which the next batch starts; undefined after the last batch */
  last: Position | undefined
}

/**
 * Reads three long strings instead of a row per card, because reading a thousand rows takes this process three times as
 * long; `json_agg` would take 1.5 times as long for 100,000 cards. Uses raw SQL, because building the statement with
 * the query builder took longer than finding its first row.
 */
async function readBatch(db: Kysely<Database>, deckId: number, after: Position): Promise<Batch> {
  const { rows } = await sql<JoinedCards>`
    select count(*) as count, (array_agg(sort_order))[count(*)] as sort_order, (array_agg(id))[count(*)] as id,
      string_agg(question, ${SEPARATOR}) as questions, string_agg(answer, ${SEPARATOR}) as answers,
      string_agg(level, ${SEPARATOR}) as levels
    from (${cardsAfter(deckId, after)}) as batch`.execute(db)
  const [joined] = rows
  if (joined === undefined || joined.count === 0) return { cards: [], last: undefined }
  const last = joined.count < BATCH_SIZE ? undefined : { sort_order: joined.sort_order, id: joined.id }
  const cards = split(joined) ?? (await cardsAfter(deckId, after).execute(db)).rows
  return { cards, last }
}

interface JoinedCards extends Position {
  count: number
  questions: string
  answers: string
  levels: string
}

/** Splits the joined strings into cards; returns undefined if a text contains the separator. */
function split({ count, questions, answers, levels }: JoinedCards): ExportBatch['cards'] | undefined {
  const [question, answer, level] = [questions, answers, levels].map((text) => text.split(SEPARATOR))
  if (question?.length !== count || answer?.length !== count || level?.length !== count) return undefined
  return question.map((text, index) => ({
    question: text,
    answer: answer[index] as string,
    level: level[index] as string,
  }))
}

function cardsAfter(deckId: number, after: Position): RawBuilder<ExportBatch['cards'][number]> {
  return sql`
    select id, sort_order, question, answer, level
    from cards
    where deck_id = ${deckId} and archived_at is null
      and (sort_order, id) > (${after.sort_order}::integer, ${after.id}::integer)
    order by sort_order, id
    limit ${BATCH_SIZE}`
}
