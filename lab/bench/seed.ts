import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../../dist/db/types.js'
import { hashPassword } from '../../dist/src/services/accounts/passwords.js'
import { createGermanWriter } from './german-text.js'
import { PASSWORD } from './password.js'
import { createRandom } from './random.js'

export interface Size {
  decks: number
  cards: number
  users: number
  /** Progress rows per user, at most one per card */
  progress: number
  /** Quiz results of the first user */
  results: number
  sheets: number
  /** `distinct`: all answers differ; `skewed`: 250 different answers, one of them on 99.75 % of 100,000 cards */
  answers: 'distinct' | 'skewed'
  /** Whether to add `LEARNER`, with 10,000 progress rows and 100,000 log entries, and log entries of other users */
  learner: boolean
}

export const SMALL: Size = {
  decks: 50,
  cards: 5_000,
  users: 200,
  progress: 1_000,
  results: 20,
  sheets: 0,
  answers: 'distinct',
  learner: false,
}

export function sizeOf(cards: number): Size {
  return { ...SMALL, cards, learner: true }
}

export const LEARNER = 'studiert-seit-jahren'

/** Word that only one in 300 sheets contains */
export const RARE_WORD = 'Nadelöhr471'

/**
 * Seeds an empty, migrated database. The users are `lernende-1` and so on, and `LEARNER` if `size.learner` is set, all
 * with the password `PASSWORD`.
 */
export async function seed(db: Kysely<Database>, size: Size): Promise<void> {
  const { decks, cards, users, results, sheets } = size
  await sql`
    insert into decks (slug, name, description, sort_order)
    select 'deck-' || number, 'Deck ' || number, 'Grundlagen und mehr, Teil ' || number, number
    from generate_series(1, ${decks}::integer) as number`.execute(db)
  const answer =
    size.answers === 'distinct'
      ? sql`'Antwort ' || number || ': **fett**, ' || chr(96) || 'code' || chr(96) || E'\n' || repeat('Text der Antwort. ', 12)`
      : sql`'Antwort ' || case when number <= 249 then number else 0 end`
  // Sorts each batch by deck, because an import also stores the cards of a deck together.
  for (let first = 1; first <= cards; first += 50_000) {
    await sql`
      insert into cards (deck_id, question, answer, level, sort_order)
      select decks.id, 'Was macht der Befehl Nummer ' || number || '? ' || repeat('Und warum? ', 8), ${answer},
        'grundlagen', number
      from generate_series(${first}::integer, ${Math.min(cards, first + 49_999)}::integer) as number
      join decks on decks.sort_order = 1 + number % ${decks}::integer
      order by decks.sort_order, number`.execute(db)
  }
  const hash = await hashPassword(PASSWORD)
  await sql`
    insert into users (username, display_name, password_hash)
    select 'lernende-' || number, 'Lernende ' || number, ${hash}::text
    from generate_series(1, ${users}::integer) as number`.execute(db)
  await seedProgress(db, size)
  await sql`
    insert into quiz_results (user_id, score_percent, total_questions, correct_answers, created_at)
    select id, 50, 10, 5, now() - number * interval '1 minute'
    from users, generate_series(1, ${results}::integer) as number where username = 'lernende-1'`.execute(db)
  if (size.learner) await seedLearner(db, cards, hash)
  await seedSheets(db, sheets)
  await sql`vacuum analyze`.execute(db)
}

async function seedProgress(db: Kysely<Database>, { cards, users, progress }: Size): Promise<void> {
  const rows = Math.min(progress, cards)
  if (rows === 0) return
  for (let first = 1; first <= users; first += 20) {
    await sql`
      insert into card_progress (user_id, card_id, last_rating, next_review)
      select users.id, card, (array['again', 'hard', 'medium', 'easy'])[1 + card % 4], current_date - 15 + card % 30
      from generate_series(${first}::integer, ${Math.min(users, first + 19)}::integer) as number
      join users on username = 'lernende-' || number
      cross join lateral (
        select 1 + (part * ${Math.floor(cards / rows)}::integer + number * 7) % ${cards}::integer as card
        from generate_series(1, ${rows}::integer) as part
      ) as cards`.execute(db)
  }
}

const LEARNED = 10_000
const LOGGED = 100_000

/** Seeds `LEARNER`, who has studied in deck order, and log entries of this learner and of a hundred other users. */
async function seedLearner(db: Kysely<Database>, cards: number, hash: string): Promise<void> {
  await sql`
    insert into users (username, display_name, password_hash)
    values (${LEARNER}, 'Studiert seit Jahren', ${hash})`.execute(db)
  await sql`
    insert into card_progress
      (user_id, card_id, last_rating, next_review, stability, difficulty, last_review, reps, lapses)
    select users.id, cards.id, 'medium', current_date + cards.id % 120 - 3, 20, 5,
      current_date - cards.id * 31 % 60 - 1, 10, 1
    from users, (select id from cards order by deck_id, sort_order limit ${LEARNED}) as cards
    where username = ${LEARNER}`.execute(db)
  await sql`
    insert into suspended_cards
    select user_id, card_id from card_progress join users on users.id = user_id
    where username = ${LEARNER} and card_id % 97 = 0`.execute(db)
  await seedLog(db, LEARNER, LOGGED, cards)
  await seedLog(db, 'lernende-1__', 500, cards)
}

/** Seeds `entries` log entries over the last 1,000 days for each user whose name matches the LIKE pattern. */
async function seedLog(db: Kysely<Database>, usernames: string, entries: number, cards: number): Promise<void> {
  const state = {
    last_rating: 'medium',
    next_review: '2026-11-21',
    stability: 20.12345678,
    difficulty: 5.12345678,
    last_review: '2026-11-01',
    reps: 3,
    lapses: 0,
    last_review_id: 1,
  }
  await sql`
    insert into review_log (user_id, card_id, deck_id, kind, rating, previous_rating, phase, interval_days,
      duration_ms, studied_on, created_at, before, after, answer)
    select users.id, number % ${Math.min(LEARNED, cards)}::integer + 1, 1, 'review',
      (array['again', 'hard', 'medium', 'easy'])[1 + number % 4], 'medium',
      (array['new', 'recall', 'recall', 'recall', 'repeat'])[1 + number % 5], number % 60, 3000,
      current_date - 1 - (${entries}::integer - number) * 1000 / ${entries}::integer, now(),
      ${JSON.stringify(state)}::jsonb, ${JSON.stringify(state)}::jsonb, '{"due": 100, "new": 20}'
    from users, generate_series(1, ${entries}::integer) as number
    where username like ${usernames}`.execute(db)
}

const TITLE_WORDS = 4

/** Seeds sheets of about 4 kB of German, named after their first words. */
async function seedSheets(db: Kysely<Database>, count: number): Promise<void> {
  const write = await createGermanWriter(createRandom())
  for (let first = 0; first < count; first += 500) {
    const texts = Array.from({ length: Math.min(500, count - first) }, (_, index) => {
      const text = write(4_000)
      return (first + index) % 300 === 0 ? `${text} ${RARE_WORD}` : text
    })
    const titles = texts.map((text) => text.split(/\s+/, TITLE_WORDS).join(' '))
    await sql`
      insert into cheatsheets (slug, title, category, content_md)
      select 'sheet-' || (${first}::integer + number), title, 'Bereich ' || number % 20, content
      from unnest(${titles}::text[], ${texts}::text[]) with ordinality as input (title, content, number)`.execute(db)
  }
}
