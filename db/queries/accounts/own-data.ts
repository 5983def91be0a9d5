import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../types.js'

/** Everything that is kept about a user, as JSON; instants are ISO 8601 in UTC. */
export interface OwnData {
  user: object
  sessions: object[]
  tokens: object[]
  progress: object[]
  results: object[]
  reviews: object[]
  suspended_cards: number[]
  review_settings: object | null
}

/** In one statement, so that all of it is of the same moment. Undefined when there is no such user. */
export async function findOwnData(db: Kysely<Database>, userId: number): Promise<OwnData | undefined> {
  const sessions = sql`
    select id, address, user_agent, ${instant('created_at')}, ${instant('expires_at')}
    from sessions where user_id = ${userId}`
  const tokens = sql`
    select id, name, ${instant('created_at')}, ${instant('last_used_at')}, ${instant('expires_at')}
    from api_tokens where user_id = ${userId}`
  const progress = sql`
    select card_progress.id, card_id, decks.slug as deck_slug, question, last_rating, next_review,
      stability, difficulty, last_review, reps, lapses
    from card_progress join cards on cards.id = card_id join decks on decks.id = cards.deck_id
    where user_id = ${userId}`
  const results = sql`
    select id, deck_slug, quiz_type, score_percent, total_questions, correct_answers, ${instant('created_at')}
    from quiz_results where user_id = ${userId}`
  const reviews = sql`
    select id, kind, undoes, card_id, rating, duration_ms, studied_on, before, after, ${instant('created_at')}
    from review_log where user_id = ${userId}`
  const { rows } = await sql<OwnData>`
    select json_build_object(
        'id', id, 'username', username, 'display_name', display_name, 'is_admin', is_admin,
        'created_at', ${isoText('created_at')}
      ) as "user",
      ${list(sessions)} as sessions, ${list(tokens)} as tokens, ${list(progress)} as progress, ${list(results)} as results,
      ${list(reviews)} as reviews,
      array(select card_id from suspended_cards where user_id = ${userId} order by card_id) as suspended_cards,
      (
        select json_build_object(
          'new_per_day', new_per_day, 'desired_retention', desired_retention, 'maximum_interval', maximum_interval
        )
        from review_settings where user_id = ${userId}
      ) as review_settings
    from users where id = ${userId}`.execute(db)
  return rows[0]
}

function list(query: RawBuilder<unknown>) {
  return sql`(select coalesce(json_agg(entry order by entry.id), '[]') from (${query}) as entry)`
}

function instant(column: string) {
  return sql`${isoText(column)} as ${sql.ref(column)}`
}

function isoText(column: string) {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
