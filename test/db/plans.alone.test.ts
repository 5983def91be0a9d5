import { CompiledQuery, type Kysely, type KyselyPlugin, sql } from 'kysely'
import t from 'tap'
import { listAccesses, recordView } from '../../db/queries/accounts/audit.js'
import { listChangedAccounts } from '../../db/queries/accounts/list.js'
import { findSession } from '../../db/queries/accounts/sessions.js'
import { findCredentials } from '../../db/queries/accounts/users.js'
import { listChangedOccurrences } from '../../db/queries/assignments/occurrences.js'
import { listChangedCertificates } from '../../db/queries/certificates/search.js'
import { findCheatsheetBySlug, searchCheatsheets } from '../../db/queries/content/cheatsheets.js'
import { findDeckBySlug, listDecks } from '../../db/queries/content/decks.js'
import { listEditedCards } from '../../db/queries/content/editing/cards.js'
import { exportCards } from '../../db/queries/content/export.js'
import { countConfirmations } from '../../db/queries/mail/addresses.js'
import { drawCards } from '../../db/queries/quiz/draw.js'
import { listQuizResults } from '../../db/queries/quiz/results.js'
import { listCards } from '../../db/queries/review/cards.js'
import { listStudiedDecks } from '../../db/queries/review/decks.js'
import { findQueue } from '../../db/queries/review/queue.js'
import { findMatchingWords, findNeighbours, preferIndexes } from '../../db/queries/search/find-items.js'
import { listChangedTeams } from '../../db/queries/teams/teams.js'
import { nameStatement } from '../../db/statement-names.js'
import type { Database } from '../../db/types.js'
import { neighboursOf } from '../../src/domain/search/words.js'
import { createMigratedDatabase } from '../support/database.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())

const statements: CompiledQuery[] = []
const recorder: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    statements.push(database.db.getExecutor().compileQuery(node, queryId))
    return node
  },
  transformResult: async ({ result }) => result,
}
const db = database.db.withPlugin(recorder)

t.before(async () => {
  for (const statement of [
    `insert into users (username, display_name, password_hash)
      select 'user-' || number, 'Erika', '' from generate_series(1, 3000) as number`,
    `insert into sessions (id_hash, user_id, expires_at)
      select sha256(username::bytea), id, now() + interval '1 day' from users`,
    `insert into decks (slug, name) select 'deck-' || number, 'Deck' from generate_series(1, 500) as number`,
    `insert into cards (deck_id, question, answer, sort_order)
      select decks.id, 'Frage ' || number, 'Antwort ' || decks.id || '-' || number, number
      from decks, generate_series(1, 20) as number`,
    `insert into card_progress (user_id, card_id, last_rating, next_review)
      select users.id, cards.id, 'easy', '2026-01-01' from users, cards where users.id <= 60 and cards.id % 100 = 0`,
    `insert into quiz_results (user_id, score_percent, total_questions, correct_answers)
      select 1 + number % 500, 50, 10, 5 from generate_series(1, 20000) as number`,
    `insert into cheatsheets (slug, title, content_md)
      select 'sheet-' || number, 'Titel ' || number,
        (select string_agg(md5(number || '-' || part), ' ') from generate_series(1, 30) as part)
      from generate_series(1, 1000) as number`,
    `insert into inactive_decks (user_id, deck_id) select users.id, decks.id
      from users, decks where users.id <= 60 and decks.id % 50 = 0`,
    `insert into card_versions (card_id, version, question, answer, level)
      select id, 1, question, answer, level from cards`,
    `insert into card_notes (user_id, card_id, text)
      select users.id, cards.id, 'Notiz' from users, cards where users.id <= 60 and cards.id % 100 = 1`,
    `insert into assignments (title, description, starts_on, due_on, mandatory, retention_years, created_on, planned_on)
      select 'Aufgabe', '', '2026-01-01', '2026-12-31', true, 2, '2026-01-01', '2026-01-01' from generate_series(1, 50)`,
    `insert into occurrences (user_id, assignment_id, period, due_on, content_version, counts_from)
      select users.id, assignments.id, '2026-01-01', '2026-12-31', 1, now() from users, assignments
      where users.id % 25 = assignments.id % 25`,
    `insert into audit_log (actor_id, actor, via, address, action, target_id, target, details)
      select 1 + number % 200, 'lead', 'session', '::1', 'assignment.view', 1 + number % 50, 'Aufgabe',
        '{"day":"2026-11-21"}' from generate_series(1, 10000) as number`,
    `insert into mails (user_id, kind, day, address, subject, state, next_attempt_at)
      select users.id, 'tasks', '2026-11-01'::date + number, username || '@example.org', '', 'sent', now()
      from users, generate_series(1, 5) as number`,
    `insert into changes (kind, changed_at, scope_id, object_id)
      select kind, now() - number * interval '1 minute', 1 + number % 50, 1 + number % 3000
      from unnest(array['account', 'person', 'team', 'member', 'role', 'occurrence', 'assignment', 'overseer', 'proof'])
        as kind, generate_series(1, 1500) as number`,
    'vacuum analyze',
    // Simulates the state after an import: the table is analyzed, but no vacuum has counted its index entries yet.
    `insert into search_words (word, stem)
      select md5(number::text), md5(number::text) from generate_series(1, 4000) as number`,
    'analyze search_words',
  ]) {
    await sql.raw(statement).execute(database.db)
  }
})

/**
 * Returns the plans of the statements that `work` sends. The first string contains the custom plans of all statements.
 * The second string contains the generic plans of the named statements; without these there is no second string.
 */
async function explain(work: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await work()
  const [custom, generic]: [string[], string[]] = [[], []]
  for (const { sql: text, parameters } of statements) {
    custom.push(await readPlan(database.db, CompiledQuery.raw(`explain ${text}`, [...parameters])))
    if (nameStatement(text, parameters) !== undefined) generic.push(await explainNamed(text, parameters))
  }
  return [custom, generic].filter((plans) => plans.length > 0).map((plans) => plans.join('\n'))
}

async function readPlan(on: Kysely<Database>, explained: CompiledQuery): Promise<string> {
  const { rows } = await on.executeQuery<{ 'QUERY PLAN': string }>(explained)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/**
 * Returns the generic plan, which PostgreSQL uses from the sixth execution on if it seems no worse than a custom plan.
 */
async function explainNamed(text: string, parameters: readonly unknown[]): Promise<string> {
  return database.db.connection().execute(async (connection) => {
    await sql`set plan_cache_mode = force_generic_plan`.execute(connection)
    await sql.raw(`prepare explained as ${text}`).execute(connection)
    const values = parameters.length === 0 ? '' : `(${parameters.map(toLiteral).join(', ')})`
    const plan = await readPlan(connection, CompiledQuery.raw(`explain execute explained${values}`))
    await sql`deallocate explained`.execute(connection)
    await sql`reset plan_cache_mode`.execute(connection)
    return plan
  })
}

function toLiteral(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value)
  if (value instanceof Date) return `'${value.toISOString()}'`
  return Buffer.isBuffer(value) ? `'\\x${value.toString('hex')}'` : `'${String(value).replaceAll("'", "''")}'`
}

const scope = { userId: 7, languages: ['de'], today: '2026-11-21', deckSlug: undefined }

/** A window that has few of the changes */
const changed = { since: new Date(Date.now() + 60_000), after: 0, limit: 50 }
const anyProof = {
  q: undefined,
  userId: undefined,
  assignmentId: undefined,
  teamId: undefined,
  completedFrom: undefined,
  completedTo: undefined,
  state: undefined,
  today: '2026-11-21',
  until: '2026-12-21',
}
const anyOccurrence = {
  states: ['open'] as const,
  q: undefined,
  overdueOn: undefined,
  dueIn: undefined,
  missing: undefined,
}

async function exportOneBatch(): Promise<void> {
  for await (const _ of exportCards(db)) break
}

for (const [name, indexes, work] of [
  ['the session', ['sessions_pkey', 'users_pkey'], () => findSession(db, Buffer.alloc(32, 1), 30, undefined)],
  ['the login', ['users_normal_username_key'], () => findCredentials(db, 'user-7')],
  ['the deck list', ['card_progress_statistics_idx'], () => listDecks(db, 7, '2026-11-21')],
  ['one deck', ['decks_slug_key'], () => findDeckBySlug(db, 'deck-7')],
  [
    'a quiz',
    ['card_positions_pkey', 'cards_pkey', 'distinct_answers_position_key'],
    () => drawCards(db, undefined, 10),
  ],
  [
    'a quiz of one deck',
    ['card_positions_pkey', 'cards_pkey', 'distinct_answers_position_key'],
    () => drawCards(db, 'deck-7', 10),
  ],
  ['the history', ['quiz_results_history_idx'], () => listQuizResults(db, 7)],
  ['a batch of the export', ['cards_deck_order_idx'], exportOneBatch],
  [
    'the search',
    ['cheatsheet_texts_content_trigram_idx', 'cheatsheet_texts_title_trigram_idx'],
    () => searchCheatsheets(db, 'c4ca42'),
  ],
  ['one sheet', ['cheatsheets_slug_key'], () => findCheatsheetBySlug(db, 'sheet-7')],
  [
    'the review queue',
    [
      'card_progress_statistics_idx',
      'card_progress_due_idx',
      'cards_deck_order_idx',
      'inactive_decks_pkey',
      'hashed SubPlan',
    ],
    () => findQueue(db, scope, 20, 20),
  ],
  ['the decks of a learner', ['card_progress_', 'inactive_decks_pkey'], () => listStudiedDecks(db, scope)],
  [
    'the unseen cards',
    ['card_progress_statistics_idx', 'cards_deck_order_idx', 'hashed SubPlan'],
    () => listCards(db, scope, { state: 'new' }, undefined, 50),
  ],
  ['the cards', ['cards_deck_order_idx'], () => listCards(db, scope, {}, undefined, 50)],
  [
    'the accesses to a user',
    ['audit_log_viewed_idx', 'audit_log_exports_idx'],
    () => listAccesses(db, 7, { before: undefined, limit: 21 }),
  ],
  [
    'the log of a view of an assignment',
    ['audit_log_views_idx'],
    () =>
      recordView(
        db,
        { actor_id: 7, actor: 'lead', via: 'session', address: null },
        { id: 7, title: 'Aufgabe', day: '2026-11-21', teams: undefined },
      ),
  ],
  ['the limit of confirmations', ['mails_confirmations_idx'], () => countConfirmations(db, 7, 'erika@example.org')],
  ['changed accounts', ['changes_since_idx'], () => listChangedAccounts(db, '', changed)],
  ['changed teams', ['changes_since_idx'], () => listChangedTeams(db, { userId: 7, viewable: new Set([1]) }, changed)],
  [
    'changed occurrences',
    ['changes_since_idx', 'occurrences_'],
    () => listChangedOccurrences(db, 7, { userId: 7, watched: [1] }, anyOccurrence, changed),
  ],
  ['changed proofs', ['changes_since_idx'], () => listChangedCertificates(db, { responsibleId: 7 }, anyProof, changed)],
  [
    'the cards of an editor',
    ['cards_deck_order_idx', 'cards_archived_order_idx', 'decks_slug_key'],
    () => listEditedCards(db, 'deck-7', { state: 'live' }, { sort_order: 3, id: 3 }, 50),
  ],
] as const) {
  t.test(`${name} reads no large table whole`, async (t) => {
    for (const plan of await explain(work)) {
      for (const index of indexes) t.match(plan, index, plan)
      t.notMatch(
        plan,
        /Seq Scan on (cards|card_|inactive_decks|users|sessions|quiz_results|cheatsheets|cheatsheet_texts|distinct_answers |audit_log|mails|changes)/,
        plan,
      )
      if (name === 'the history') t.notMatch(plan, /Sort/, plan)
      if (name === 'the deck list') t.match(plan, 'Index Only Scan', plan)
    }
  })
}

t.test('looks up a word in the word index and only parts in the trigram index', async (t) => {
  statements.length = 0
  await findMatchingWords(db, [{ word: 'c4ca42', spellings: [] }])
  await findNeighbours(
    db,
    neighboursOf('c4ca42').map((word) => ({ place: 0, word })),
  )
  const plans = await database.db.transaction().execute(async (transaction) => {
    await preferIndexes(transaction)
    const read: string[] = []
    for (const { sql: text, parameters } of statements) {
      read.push(await readPlan(transaction, CompiledQuery.raw(`explain ${text}`, [...parameters])))
    }
    return read
  })
  t.equal(plans.length, 2)
  for (const [at, plan] of plans.entries()) {
    t.match(plan, 'search_words_word_key', plan)
    t.equal(plan.match(/on search_words_part_idx/g)?.length ?? 0, at === 0 ? 1 : 0, plan)
  }
})
