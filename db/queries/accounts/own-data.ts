import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../types.js'
import { IS_SECRET_CARD } from '../content/visibility.js'
import { readInTurn } from '../read-in-turn.js'

// Raw SQL: each table is read as JSON strings by one generic statement, whose tables and keys are data.

/** Maximum number of rows per statement; 200 rows take about 40 kB and a few milliseconds. */
const BATCH_SIZE = 200

/** Query for the rows of a user as JSON strings; `readBatch` reads the rows in the order of the `key` columns. */
interface Rows {
  /** Returns a relation with the column `item` (a JSON string) and the key columns. */
  from: (userId: number, after: RawBuilder<unknown>) => RawBuilder<unknown>
  key: { column: string; type: 'bigint' | 'bytea' | 'text' | 'timestamptz' }[]
}

const BY_ID: Rows['key'] = [{ column: 'id', type: 'bigint' }]
const BY_CARD: Rows['key'] = [{ column: 'card_id', type: 'bigint' }]

const SESSIONS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      id, address, user_agent, ${instant('created_at')}, ${instant('expires_at')}, ${instant('authenticated_at')},
      authenticated_by, provider_session`)}
    from sessions where user_id = ${userId} and ${after}`,
}

const IDENTITIES: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`id, issuer, subject, ${instant('created_at')}, ${instant('last_used_at')}`)}
    from identities where user_id = ${userId} and ${after}`,
}

const PASSKEYS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      id, name, encode(credential_id, 'base64') as credential_id, transports, backed_up, ${instant('created_at')},
      ${instant('last_used_at')}`)}
    from passkeys where user_id = ${userId} and ${after}`,
}

const MAILS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`id, kind, day, address, subject, state, ${instant('sent_at')}, ${instant('created_at')}`)}
    from mails where user_id = ${userId} and ${after}`,
}

const TOKENS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`id, name, ${instant('created_at')}, ${instant('last_used_at')}, ${instant('expires_at')}, scopes, is_service`)}
    from api_tokens where user_id = ${userId} and ${after}`,
}

const PROGRESS: Rows = {
  key: BY_CARD,
  from: (userId, after) => sql`
    select card_id, ${json(sql`
      card_id, case when not ${IS_SECRET_CARD} then decks.slug end as deck_slug,
      case when not ${IS_SECRET_CARD} then question end as question, last_rating, next_review, stability, difficulty, last_review, reps,
      lapses, put_off_from`)}
    from (${inOrder(BY_CARD, sql`select * from card_progress where user_id = ${userId} and ${after}`)}) as progress
      join cards on cards.id = card_id
      join decks on decks.id = cards.deck_id`,
}

const REVIEWS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      id, kind, undoes, card_id, rating, duration_ms, studied_on, before, after,
      phase is distinct from 'late' as applied, ${instant('created_at')}`)}
    from review_log where user_id = ${userId} and ${after}`,
}

const SUSPENDED_CARDS: Rows = {
  key: BY_CARD,
  from: (userId, after) => sql`
    select card_id, card_id::text as item from suspended_cards where user_id = ${userId} and ${after}`,
}

const INACTIVE_DECKS: Rows = {
  key: [{ column: 'deck_id', type: 'bigint' }],
  from: (userId, after) => sql`
    select deck_id, to_json(slug)::text as item from inactive_decks join decks on decks.id = deck_id
    where user_id = ${userId} and ${after}`,
}

const CHOSEN_DECKS: Rows = {
  key: [{ column: 'deck_id', type: 'bigint' }],
  from: (userId, after) => sql`
    select deck_id, to_json(slug)::text as item from chosen_decks join decks on decks.id = deck_id
    where user_id = ${userId} and ${after}`,
}

const CHOSEN_LANGUAGES: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`kind, slug, lang`)}
    from (
      select chosen_languages.id,
        case when deck_id is not null then 'deck' when cheatsheet_id is not null then 'sheet' else 'test' end as kind,
        coalesce(decks.slug, cheatsheets.slug, tests.slug) as slug, chosen_languages.lang
      from chosen_languages
        left join decks on decks.id = deck_id
        left join cheatsheets on cheatsheets.id = cheatsheet_id
        left join tests on tests.id = test_id
      where user_id = ${userId}
    ) as choice
    where ${after}`,
}

const NOTES: Rows = {
  key: BY_CARD,
  from: (userId, after) => sql`
    select card_id, ${json(sql`card_id, text, ${instant('updated_at')}`)}
    from card_notes where user_id = ${userId} and ${after}`,
}

const DECK_RETENTIONS: Rows = {
  key: [{ column: 'deck_id', type: 'bigint' }],
  from: (userId, after) => sql`
    select deck_id, ${json(sql`slug as deck_slug, desired_retention`)}
    from deck_retentions join decks on decks.id = deck_id
    where user_id = ${userId} and ${after}`,
}

const REPORTS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      id, card_id, text, suggested_question, suggested_answer, ${instant('created_at')}, ${instant('settled_at')},
      case when settled_at is not null then outcome end as outcome, outcome_message`)}
    from card_reports where user_id = ${userId} and ${after}`,
}

const EDITED_SOURCES: Rows = {
  key: [{ column: 'source_id', type: 'bigint' }],
  from: (userId, after) => sql`
    select source_id, ${json(sql`source_id, name, ${instant('added_at')}`)}
    from source_editors join content_sources on content_sources.id = source_id
    where user_id = ${userId} and ${after}`,
}

const TEAMS: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`name, role, origin, from_on, until_on`)}
    from (
      select team_members.id, name, role, origin, from_on, until_on
      from team_members join teams on teams.id = team_id where user_id = ${userId}
    ) as membership
    where ${after}`,
}

const CERTIFICATES: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      code, snapshot::json as snapshot, ${instant('issued_at')}, valid_until, ${instant('revoked_at')}, revocation,
      replaced_by, delete_after`)}
    from proofs where user_id = ${userId} and ${after}`,
}

const OCCURRENCES: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      id, title, period, due_on, extended_until, state, reason, covered_until, ${instant('done_at')}, done_on,
      ${instant('missed_at')}, ${instant('reopened_at')}, extra_attempts, (
        select coalesce(json_agg(json_build_object('part', position, 'lang', lang, 'held_on', held_on, 'confirmed_by', confirmed_by,
          'note', note) order by position), '[]')
        from occurrence_parts where occurrence_id = occurrence.id
      ) as done_parts, (
        select coalesce(json_agg(json_build_object('kind', kind, 'on', reminded_on) order by reminded_on), '[]')
        from mail_reminders where occurrence_id = occurrence.id
      ) as reminders`)}
    from (
      select occurrences.*, title from occurrences join assignments on assignments.id = assignment_id
      where user_id = ${userId}
    ) as occurrence
    where ${after}`,
}

const RESPONSIBILITIES: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`
      id, title, created_by = ${userId} as created, responsible_id = ${userId} as responsible, exists (
        select from assignment_users where assignment_id = assignments.id and user_id = ${userId}) as named`)}
    from assignments
    where (created_by = ${userId} or responsible_id = ${userId}
        or id in (select assignment_id from assignment_users where user_id = ${userId}))
      and ${after}`,
}

const CHANGES: Rows = {
  key: BY_ID,
  from: (userId, after) => sql`
    select id, ${json(sql`id, ${instant('at')}, how, source_id, editor_id = ${userId} as accepted`)}
    from content_changes where (user_id = ${userId} or editor_id = ${userId}) and ${after}`,
}

const FORM_REQUESTS: Rows = {
  key: [
    { column: 'kind', type: 'text' },
    { column: 'client_id', type: 'text' },
  ],
  from: (userId, after) => sql`
    select kind, client_id, ${json(sql`kind, client_id, object_id, ${instant('created_at')}`)}
    from form_requests where user_id = ${userId} and ${after}`,
}

const PICTURES: Rows = {
  key: [{ column: 'sha256', type: 'bytea' }],
  from: (userId, after) => sql`
    select sha256, ${json(sql`encode(sha256, 'hex') as sha, extension, size_bytes, ${instant('created_at')}`)}
    from media where created_by = ${userId} and ${after}`,
}

const RESULTS: Rows = {
  key: [
    { column: 'created_at', type: 'timestamptz' },
    { column: 'id', type: 'bigint' },
  ],
  from: (userId, after) => sql`
    select created_at, id, ${json(sql`
      deck_slug, quiz_type, score_percent, total_questions, correct_answers, ${instant('created_at')}`)}
    from quiz_results where user_id = ${userId} and ${after}`,
}

/** Versions of tests whose results the user may see */
export type ShownVersions = readonly { test_id: number; version: number }[]

function attemptsOf(shownVersions: ShownVersions): Rows {
  const shown = JSON.stringify(shownVersions)
  return {
    key: BY_ID,
    from: (userId, after) => sql`
      select attempts.id, ${json(sql`
        attempts.id, slug as test_slug, attempts.version, number, ${instant('started_at')}, ${instant('deadline_at')},
        ${instant('ended_at')}, ended_by, case when shown.version is not null then passed end as passed,
        case when shown.version is not null then score_percent end as score_percent, ${instant('answers_deleted_at')}`)}
      from (${inOrder(BY_ID, sql`select * from attempts where user_id = ${userId} and ${after}`)}) as attempts
        join tests on tests.id = attempts.test_id
        left join jsonb_to_recordset(${shown}::jsonb) as shown (test_id integer, version integer)
          on shown.test_id = attempts.test_id and shown.version = attempts.version`,
  }
}

/** Answers of the user with the questions as the attempts showed them, without the correct answers */
const ANSWERS: Rows = {
  key: [
    { column: 'attempt_id', type: 'bigint' },
    { column: 'slot', type: 'bigint' },
  ],
  from: (userId, after) => sql`
    select attempt_id, slot, ${json(sql`
      attempt_id, slot, content ->> 'question' as question, (
        select coalesce(json_agg(json_build_object('id', place ->> 'id', 'text', part ->> 'text') order by position), '[]')
        from jsonb_array_elements(places) with ordinality as shown (place, position)
          join jsonb_array_elements(coalesce(content -> 'options', content -> 'items')) as part
            on part ->> 'id' = place ->> 'of'
      ) as parts, answer, ${instant('saved_at')}, spent_ms`)}
    from attempts
      join attempt_questions on attempt_id = attempts.id
      join test_questions on test_questions.id = question_id
    where user_id = ${userId} and ${after}`,
}

/**
 * Returns the personal data of a user as chunks of one JSON object; instants are ISO 8601 in UTC. Reads in batches with
 * short statements and holds no connection between them. Concurrent changes may or may not be included. Returns
 * undefined if the user does not exist.
 * @throws Error from the generator if the user is deleted during the request
 */
export async function findOwnData(
  db: Kysely<Database>,
  userId: number,
  shownVersions: ShownVersions,
): Promise<AsyncGenerator<string> | undefined> {
  const account = await findAccountJson(db, userId)
  return account && ownDataPieces(db, userId, account, shownVersions)
}

async function* ownDataPieces(
  db: Kysely<Database>,
  userId: number,
  account: AccountJson,
  shownVersions: ShownVersions,
): AsyncGenerator<string> {
  const list = (rows: Rows) => listPieces(db, userId, rows)
  yield `{"user":${account.user},"sessions":`
  yield* list(SESSIONS)
  yield ',"identities":'
  yield* list(IDENTITIES)
  yield ',"passkeys":'
  yield* list(PASSKEYS)
  yield ',"tokens":'
  yield* list(TOKENS)
  yield ',"mails":'
  yield* list(MAILS)
  yield ',"progress":'
  yield* list(PROGRESS)
  yield ',"reviews":'
  yield* list(REVIEWS)
  yield ',"suspended_cards":'
  yield* list(SUSPENDED_CARDS)
  yield ',"inactive_decks":'
  yield* list(INACTIVE_DECKS)
  yield ',"chosen_decks":'
  yield* list(CHOSEN_DECKS)
  yield ',"chosen_languages":'
  yield* list(CHOSEN_LANGUAGES)
  yield ',"notes":'
  yield* list(NOTES)
  yield ',"deck_retentions":'
  yield* list(DECK_RETENTIONS)
  yield ',"reports":'
  yield* list(REPORTS)
  yield ',"edited_sources":'
  yield* list(EDITED_SOURCES)
  yield ',"teams":'
  yield* list(TEAMS)
  yield ',"occurrences":'
  yield* list(OCCURRENCES)
  yield ',"proofs":'
  yield* list(CERTIFICATES)
  yield ',"assignments":'
  yield* list(RESPONSIBILITIES)
  yield ',"changes":'
  yield* list(CHANGES)
  yield ',"form_requests":'
  yield* list(FORM_REQUESTS)
  yield ',"attempts":'
  yield* list(attemptsOf(shownVersions))
  yield ',"answers":'
  yield* list(ANSWERS)
  yield ',"pictures":'
  yield* list(PICTURES)
  yield `,"review_settings":${account.review_settings},"fitted_parameters":${account.fitted_parameters},"results":`
  yield* list(RESULTS)
  // If the user was deleted, lists are empty or end early; the output must not look complete.
  if ((await findAccountJson(db, userId)) === undefined) throw new Error('the user was deleted during the request')
  yield '}'
}

async function* listPieces(db: Kysely<Database>, userId: number, rows: Rows): AsyncGenerator<string> {
  yield '['
  let after: string[] | undefined
  do {
    const position = after
    const batch = await readInTurn(() => readBatch(db, userId, rows, position))
    if (batch.items !== null) yield position === undefined ? batch.items : `,${batch.items}`
    after = batch.count < BATCH_SIZE ? undefined : batch.last
  } while (after !== undefined)
  yield ']'
}

interface Batch {
  count: number
  /** JSON values separated by commas; null if there are none */
  items: string | null
  last: string[]
}

/** Reads a batch as one long string instead of a row per entry: PostgreSQL writes the JSON, and Node.js forwards it. */
async function readBatch(db: Kysely<Database>, userId: number, rows: Rows, after?: string[]): Promise<Batch> {
  const last = sql.join(rows.key.map(({ column }) => sql`${sql.ref(column)}::text`))
  const batch = inOrder(rows.key, rows.from(userId, isAfter(rows, after)))
  const result = await sql<Batch>`
    select count(*) as count, string_agg(item, ',') as items, (array_agg(json_build_array(${last})))[count(*)] as last
    from (${batch}) as batch`.execute(db)
  return result.rows[0] as Batch
}

function inOrder(key: Rows['key'], rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = sql.join(key.map(({ column }) => sql.ref(column)))
  return sql`${rows} order by ${columns} limit ${sql.lit(BATCH_SIZE)}`
}

function isAfter({ key }: Rows, position: string[] | undefined): RawBuilder<unknown> {
  if (position === undefined) return sql`true`
  const columns = sql.join(key.map(({ column }) => sql.ref(column)))
  const values = sql.join(key.map(({ type }, index) => sql`${position[index]}::${sql.raw(type)}`))
  return sql`(${columns}) > (${values})`
}

interface AccountJson {
  user: string
  review_settings: string
  fitted_parameters: string
}

async function findAccountJson(db: Kysely<Database>, userId: number): Promise<AccountJson | undefined> {
  const user = json(sql`
    id, username, display_name, is_admin, ${instant('created_at')}, is_author, is_auditor, auditor_until, must_change_password,
    last_seen_on, disabled_on,
    email, ${instant('email_confirmed_at')}, personnel_number, external_id,
    scim_disabled, scim_former_day, scim_deleted, awaits_link, language, language_used,
    (select ${instant('created_at')} from calendar_tokens where user_id = users.id) as calendar_since,
    (select address from address_confirmations where user_id = users.id) as unconfirmed_email,
    due_cards_mail_key is not null as due_cards_mail,
    password_hash is not null as has_password, passkey_only, emergency, extra_time_percent,
    coalesce(link_next_login and link_allowed_at > now() - interval '7 days', false) as link_next_login`)
  const settings = json(sql`
    new_per_day, desired_retention, maximum_interval, extra_new, extra_new_on, adapt_intervals, type_answers,
    free_weekdays`)
  const parameters = json(sql`current, previous, ${instant('tried_at')}, tried_items`)
  const { rows } = await sql<AccountJson>`
    select item as "user", coalesce((select item from (
        select ${settings} from review_settings where user_id = ${userId}
      ) as settings), 'null') as review_settings,
      coalesce((select item from (
        select ${parameters} from fitted_parameters where user_id = ${userId}
      ) as parameters), 'null') as fitted_parameters
    from (select ${user} from users where id = ${userId}) as account`.execute(db)
  return rows[0]
}

/**
 * Builds a JSON object of the columns, in their order. Uses raw SQL, because the query builder cannot nest a `select`
 * without `from`. Uses `row_to_json`, because `json_build_object` writes longer strings.
 */
function json(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select row_to_json(entry)::text from (select ${columns}) as entry) as item`
}

function instant(column: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${sql.ref(column)}`
}
