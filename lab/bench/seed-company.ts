import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../dist/db/types.js'
import { type CertificateSnapshot, writeSnapshot } from '../../dist/src/domain/certificates/snapshot.js'
import { planAssignment } from '../../dist/src/services/assignments/plan.js'
import { publishTest, singleChoice } from '../../dist/test/support/taken-tests.js'
import { LEARNER, SMALL, seed } from './seed.js'

const PEOPLE = 10_000
const BIG_DECK_CARDS = 20_000
const STUDIED_OF_BIG_DECK = 10_000
const SHEETS = 1_000
const QUESTIONS = 1_000
const ASSIGNMENTS = 5
const ENTRIES = 5_000
const PICTURE_BYTES = 500_000

/** Slugs and keys of what `seedCompany` inserts, for the paths of requests */
export interface Company {
  deck: string
  sheet: string
  test: string
  source: number
  card: number
  team: number
  user: number
  assignment: number
  proof: string
  /** SHA-256 of a picture in hex */
  picture: string
}

/**
 * Seeds a company: 10,000 persons, a deck of 20,000 cards beside 50 decks, 1,000 sheets, a published test of 1,000
 * questions, 50,000 occurrences with certificates, and 5,000 entries each of mails, reports, changes and the audit
 * trail. `LEARNER` is an administrator and author with 15,000 studied cards and 100,000 reviews, leads a team of all
 * persons and is responsible for all assignments.
 */
export async function seedCompany(db: Kysely<Database>): Promise<Company> {
  const today = new Date().toISOString().slice(0, 10)
  await seed(db, { ...SMALL, results: 1_000, sheets: SHEETS, learner: true })
  await sql`
    insert into users (username, display_name, password_hash, email)
    select 'person-' || number, 'Person ' || number, null, 'person-' || number || '@example.org'
    from generate_series(1, ${PEOPLE - SMALL.users - 1}::integer) as number`.execute(db)
  const { id: user } = await db
    .updateTable('users')
    .set({ is_admin: true, is_author: true })
    .where('username', '=', LEARNER)
    .returning('id')
    .executeTakeFirstOrThrow()
  const content = await seedContent(db, user)
  const work = await seedAssignments(db, user, today)
  await seedEntries(db, user, content.source)
  // Empties the queue, because the service would otherwise build the search index during the measurement.
  await sql`truncate search_pending`.execute(db)
  await sql`vacuum analyze`.execute(db)
  return { ...content, ...work, user }
}

async function seedContent(db: Kysely<Database>, user: number) {
  const { id: source } = await db
    .insertInto('content_sources')
    .values({
      kind: 'written',
      name: 'Betrieb',
      file_name: null,
      size_bytes: 0,
      created_by: LEARNER,
      updated_by: LEARNER,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('source_editors').values({ source_id: source, user_id: user }).execute()
  await sql`
    insert into decks (slug, name, sort_order) values ('gross', 'Großes Deck', 100), ('fragen', 'Fragen', 101)`.execute(
    db,
  )
  await sql`
    insert into cards (deck_id, question, answer, level, sort_order)
    select id, 'Was bedeutet Begriff ' || number || '? ' || repeat('Und warum? ', 8),
      'Bedeutung ' || number || ': **fett**, ' || chr(96) || 'code' || chr(96) || E'\n' || repeat('Text der Antwort. ', 12),
      'grundlagen', number
    from decks cross join generate_series(1, ${BIG_DECK_CARDS}::integer) as number where slug = 'gross'`.execute(db)
  const exercise = JSON.stringify(singleChoice('').exercise)
  await sql`
    insert into cards (deck_id, question, answer, level, sort_order, exercise)
    select id, 'Frage ' || number || ' mit einem Satz davor, wie er in Prüfungen steht?', 'Darum ' || number, 'grundlagen',
      number, ${exercise}::jsonb
    from decks cross join generate_series(1, ${QUESTIONS}::integer) as number where slug = 'fragen'`.execute(db)
  await sql`
    insert into imported_decks (deck_id, source_id, source_key) select id, ${source}::integer, slug from decks`.execute(
    db,
  )
  await sql`
    insert into imported_cards (card_id, deck_id, key) select id, deck_id, 'karte-' || id from cards`.execute(db)
  await sql`
    insert into imported_cheatsheets (cheatsheet_id, source_id, source_key)
    select id, ${source}::integer, slug from cheatsheets`.execute(db)
  await sql`
    insert into card_progress
      (user_id, card_id, last_rating, next_review, stability, difficulty, last_review, reps, lapses)
    select ${user}::integer, id, 'medium', current_date + id % 120 - 3, 20, 5, current_date - id * 31 % 60 - 1, 10, 1
    from cards where deck_id = (select id from decks where slug = 'gross')
    order by sort_order limit ${STUDIED_OF_BIG_DECK}`.execute(db)
  const sections = [{ deck: 'fragen', level: null, cards: null, draw: 500 }]
  const { rows } = await sql<{ id: number }>`
    select id from cards where deck_id = (select id from decks where slug = 'fragen') order by sort_order`.execute(db)
  const { slug: test } = await publishTest(
    db,
    { sections, attempts: null, review_when: 'now', time_limit_minutes: null },
    {
      cards: rows.map((_, index) => singleChoice(`Frage ${index + 1}?`)),
      sourceId: source,
      cardIds: rows.map(({ id }) => id),
    },
  )
  const bytes = Buffer.alloc(PICTURE_BYTES, 'Bild')
  const sha256 = createHash('sha256').update(bytes).digest()
  await db
    .insertInto('media')
    .values({ sha256, extension: 'png', size_bytes: bytes.length, created_by: user, bytes })
    .execute()
  const { rows: cards } = await sql<{ id: number }>`
    select min(id) as id from cards where deck_id = (select id from decks where slug = 'gross')`.execute(db)
  const card = cards[0]?.id as number
  return { deck: 'gross', sheet: 'sheet-1', test, source, card, picture: sha256.toString('hex') }
}

async function seedAssignments(db: Kysely<Database>, user: number, today: string) {
  await sql`
    insert into assignments (title, description, mandatory, retention_years, created_on, starts_on, due_on,
      everybody_from, responsible_id, created_by)
    select 'Aufgabe ' || number, '', true, 2, ${today}::date, ${today}::date, ${today}::date + 30, ${today}::date,
      ${user}::integer, ${user}::integer
    from generate_series(1, ${ASSIGNMENTS}::integer) as number`.execute(db)
  await sql`
    insert into assignment_parts (assignment_id, position, kind, title)
    select id, 0, 'personal', 'Rundgang' from assignments`.execute(db)
  const { rows } = await sql<{ id: number }>`insert into teams (name) values ('Werkstatt') returning id`.execute(db)
  const team = rows[0]?.id as number
  await sql`
    insert into team_members (team_id, user_id, role, origin, from_on)
    select ${team}::integer, id, case when id = ${user}::integer then 'lead' else 'member' end, 'hand', '2020-01-01'
    from users`.execute(db)
  const clock = { moment: () => ({ at: new Date(), today }), timeZone: 'UTC', issuer: null }
  const assignments = await db.selectFrom('assignments').select('id').orderBy('id').execute()
  for (const { id } of assignments) await planAssignment(db, id, clock)
  const snapshot: CertificateSnapshot = {
    format: 1,
    name: 'Person 1',
    title: 'Aufgabe 1',
    period: today,
    completed_on: today,
    valid_until: null,
    parts: [{ kind: 'personal', title: 'Rundgang', done_on: today, confirmed_by: 'Sabine Sicher', note: null }],
  }
  await sql`
    insert into proofs (code, user_id, assignment_id, occurrence_id, snapshot, completed_on, issued_at, retention_years)
    select upper(substr(translate(md5(id::text), '01', 'yz'), 1, 26)), user_id, assignment_id, id,
      ${writeSnapshot(snapshot)}, ${today}::date, now(), 2
    from occurrences`.execute(db)
  const { code } = await db
    .selectFrom('proofs')
    .select('code')
    .where('user_id', '=', user)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { team, assignment: assignments[0]?.id as number, proof: code }
}

async function seedEntries(db: Kysely<Database>, user: number, source: number): Promise<void> {
  await sql`
    insert into mails (user_id, kind, day, address, subject, state, next_attempt_at, sent_at)
    select id, 'tasks', current_date, 'person@example.org', 'Deine Aufgaben', 'sent', now(), now()
    from users order by id limit ${ENTRIES}`.execute(db)
  await sql`
    insert into card_reports (card_id, user_id, text, settled_at, settled_by, outcome)
    select id, ${user}::integer, 'Das stimmt nicht: ' || repeat('Grund. ', 20), now(), ${LEARNER}, 'declined'
    from (select id from cards order by id limit ${ENTRIES}) as reported`.execute(db)
  await sql`
    insert into content_changes (user_id, how, source_id)
    select ${user}::integer, 'edit', ${source}::integer from generate_series(1, ${ENTRIES}::integer)`.execute(db)
  await sql`
    insert into audit_log (actor_id, actor, via, address, action, target_id, target)
    select ${user}::integer, ${LEARNER}, 'session', '127.0.0.1', 'login', ${user}::integer, ${LEARNER}
    from generate_series(1, ${ENTRIES}::integer)`.execute(db)
}
