import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../db/types.js'
import { hashPassword } from '../src/passwords.js'

/** How much there is of everything. */
export interface Size {
  decks: number
  cards: number
  users: number
  /** Progress rows of each user. */
  progress: number
  /** Quiz results of the first user. */
  results: number
  sheets: number
}

export const SMALL: Size = { decks: 50, cards: 5_000, users: 200, progress: 1_000, results: 20, sheets: 0 }

/** A word that only one in 300 sheets holds. */
export const RARE_WORD = 'Nadelöhr471'

const LETTERS = 'enirstadhulcgmobwfkzvpüäößjyxq'

export const PASSWORD = 'nur-zum-messen'

/** Fills an empty, migrated database. The users are `lernende-1` and so on, all with the same password. */
export async function seed(db: Kysely<Database>, size: Size): Promise<void> {
  const { decks, cards, users, progress, results, sheets } = size
  await sql`
    insert into decks (slug, name, description, sort_order)
    select 'deck-' || number, 'Deck ' || number, 'Grundlagen und mehr, Teil ' || number, number
    from generate_series(1, ${decks}::integer) as number`.execute(db)
  for (let first = 1; first <= cards; first += 20_000) {
    await sql`
      insert into cards (deck_id, question, answer, level, sort_order)
      select deck.id, 'Was macht der Befehl Nummer ' || number || '? ' || repeat('Und warum? ', 8),
        'Antwort ' || number || ': **fett**, ' || chr(96) || 'code' || chr(96) || E'\n' || repeat('Text der Antwort. ', 12),
        'grundlagen', number
      from generate_series(${first}::integer, ${Math.min(cards, first + 19_999)}::integer) as number
      join decks as deck on deck.sort_order = 1 + number % ${decks}::integer`.execute(db)
  }
  await sql`
    insert into users (username, display_name, password_hash)
    select 'lernende-' || number, 'Lernende ' || number, ${await hashPassword(PASSWORD)}::text from generate_series(1, ${users}::integer) as number`.execute(
    db,
  )
  // Batches of users, since each row asks for its card's deck.
  for (let first = 1; progress > 0 && first <= users; first += 20) {
    await sql`
      insert into card_progress (user_id, card_id, last_rating, next_review)
      select users.id, cards.id, (array['again', 'hard', 'medium', 'easy'])[1 + cards.id % 4],
        current_date - 15 + cards.id % 30
      from generate_series(${first}::integer, ${Math.min(users, first + 19)}::integer) as number
      join users on username = 'lernende-' || number
      cross join lateral (
        select id from cards where (id + number * 7) % ${Math.max(1, Math.floor(cards / Math.max(progress, 1)))}::integer = 0
        limit ${progress}::integer
      ) as cards`.execute(db)
  }
  await sql`
    insert into quiz_results (user_id, score_percent, total_questions, correct_answers, created_at)
    select id, 50, 10, 5, now() - number * interval '1 minute'
    from users, generate_series(1, ${results}::integer) as number where username = 'lernende-1'`.execute(db)
  await seedSheets(db, sheets)
  await sql`vacuum analyze`.execute(db)
}

/** Sheets of about 4 kB of words as unlike as those of a language. */
async function seedSheets(db: Kysely<Database>, count: number): Promise<void> {
  const random = createRandom()
  const words = Array.from({ length: 8_000 }, (_, index) =>
    Array.from(
      { length: 3 + (index % 8) },
      () => LETTERS[Math.floor(LETTERS.length * random() * random())] as string,
    ).join(''),
  )
  for (let first = 0; first < count; first += 500) {
    const texts = Array.from({ length: Math.min(500, count - first) }, (_, index) => {
      const text = Array.from({ length: 530 }, () => words[Math.floor(words.length * random() * random())]).join(' ')
      return (first + index) % 300 === 0 ? `${text} ${RARE_WORD}` : text
    })
    await sql`
      insert into cheatsheets (slug, title, category, content_md)
      select 'sheet-' || (${first}::integer + number), 'Blatt ' || (${first}::integer + number), 'Bereich ' || number % 20, content
      from unnest(${texts}::text[]) with ordinality as input (content, number)`.execute(db)
  }
}

/** The same numbers in every run (a linear congruential generator). */
function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
