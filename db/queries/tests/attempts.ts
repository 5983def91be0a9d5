import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { FrozenQuestion } from '../../../src/domain/questions/frozen.js'
import type { Answer } from '../../../src/domain/questions/judge.js'
import type { ShownId } from '../../../src/domain/tests/attempt.js'
import type { TestDefinition } from '../../../src/domain/tests/definition.js'
import type { ReviewRules } from '../../../src/domain/tests/review.js'
import type { Database } from '../../types.js'
import { readInBatches } from '../read-in-batches.js'

// Raw SQL: the statements read and write in CTEs, take rows from JSON, and compare keys as rows.

export interface Attempt extends Omit<Selectable<Database['attempts']>, 'last_saved_at'> {
  slug: string
  lang: string
  /** Id of the original of the test */
  group_id: number
  definition: TestDefinition
}

export interface AttemptQuestion {
  slot: number
  question_id: number
  card_id: number | null
  content: FrozenQuestion
  places: ShownId[]
  seq: number
  answer: Answer | null
  saved_at: Date | null
  points: number | null
  spent_ms: number
}

/** Id of the original of a row of `tests`; has an index */
const GROUP_ID = sql<number>`coalesce(tests.translation_of, tests.id)`

function selectAttempts(db: Kysely<Database>) {
  return db
    .selectFrom('attempts')
    .innerJoin('tests', 'tests.id', 'attempts.test_id')
    .innerJoin('test_versions', (join) =>
      join
        .onRef('test_versions.test_id', '=', 'attempts.test_id')
        .onRef('test_versions.version', '=', 'attempts.version'),
    )
    .select([
      ...([
        'attempts.id',
        'attempts.test_id',
        'attempts.version',
        'user_id',
        'client_id',
        'number',
        'counted',
      ] as const),
      ...(['started_at', 'deadline_at', 'ended_at', 'ended_by', 'passed', 'score_percent'] as const),
      ...(['answers_deleted_at', 'tests.slug', 'tests.lang', 'test_versions.definition'] as const),
      GROUP_ID.as('group_id'),
    ])
}

/**
 * Returns a person's attempts at a test in all languages, newest first.
 * @param before only attempts with a lower number
 */
export async function listAttempts(
  db: Kysely<Database>,
  { userId, groupId }: { userId: number; groupId: number },
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Attempt[]> {
  return selectAttempts(db)
    .where('user_id', '=', userId)
    .where(GROUP_ID, '=', groupId)
    .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
    .orderBy('number', 'desc')
    .orderBy('attempts.id', 'desc')
    .limit(limit)
    .execute()
}

export interface AttemptedVersion {
  test_id: number
  version: number
  rules: ReviewRules
  /** `closes` of the published version, even if the test is archived */
  published_closes: string | null
}

/** Returns the versions of tests that a user has attempted. */
export async function listAttemptedVersions(db: Kysely<Database>, userId: number): Promise<AttemptedVersion[]> {
  const { rows } = await sql<AttemptedVersion>`
    select own.test_id, own.version, published.definition ->> 'closes' as published_closes,
      json_build_object('review', own.definition -> 'review', 'review_when', own.definition -> 'review_when',
        'closes', own.definition -> 'closes') as rules
    from (select distinct test_id, version from attempts where user_id = ${userId}) as mine
      join test_versions as own using (test_id, version)
      join tests on tests.id = own.test_id
      left join test_versions as published
        on published.test_id = tests.id and published.version = tests.published_version`.execute(db)
  return rows
}

/** Totals of a learner's attempts at one version of a test */
export interface AttemptSums {
  /** Id of the original of the test */
  group_id: number
  rules: ReviewRules
  attempts: number
  ended: number
  has_passed: boolean
  last_number: number
  last_ended_at: Date | null
  /** Id of the open attempt; a person has at most one per test, in any language. */
  open_id: number | null
  open_until: Date | null
}

/** @param of only attempts at this test, in any language */
export async function sumUpAttempts(
  db: Kysely<Database>,
  userId: number,
  of?: { groupId: number },
): Promise<AttemptSums[]> {
  const { rows } = await sql<AttemptSums>`
    select ${GROUP_ID} as group_id, attempts, ended, has_passed, last_number, last_ended_at, open_id, open_until,
      json_build_object('review', test_versions.definition -> 'review', 'review_when', test_versions.definition -> 'review_when',
        'closes', test_versions.definition -> 'closes') as rules
    from (
      select test_id, version, count(*)::integer as attempts, count(ended_at)::integer as ended,
        coalesce(bool_or(passed), false) as has_passed, max(number) as last_number, max(ended_at) as last_ended_at,
        max(id) filter (where ended_at is null) as open_id,
        max(deadline_at) filter (where ended_at is null) as open_until
      from attempts
      where user_id = ${userId} ${of === undefined ? sql`` : sql`and test_id in (${testsOfGroup(of.groupId)})`}
      group by test_id, version
    ) as mine
    join test_versions using (test_id, version)
    join tests on tests.id = test_id`.execute(db)
  return rows
}

function testsOfGroup(groupId: number) {
  return sql<number>`select id from tests where ${GROUP_ID} = ${groupId}`
}

export async function findAttempt(db: Kysely<Database>, userId: number, id: number): Promise<Attempt | undefined> {
  return selectAttempts(db).where('user_id', '=', userId).where('attempts.id', '=', id).executeTakeFirst()
}

export async function findAttemptByClientId(
  db: Kysely<Database>,
  userId: number,
  clientId: string,
): Promise<Attempt | undefined> {
  return selectAttempts(db).where('user_id', '=', userId).where('client_id', '=', clientId).executeTakeFirst()
}

function selectQuestions(db: Kysely<Database>, attemptId: number) {
  return db
    .selectFrom('attempt_questions')
    .innerJoin('test_questions', 'test_questions.id', 'question_id')
    .select(['slot', 'question_id', 'card_id', 'content', 'places', 'seq', 'answer', 'saved_at', 'points', 'spent_ms'])
    .where('attempt_id', '=', attemptId)
}

export async function listAttemptQuestions(db: Kysely<Database>, attemptId: number): Promise<AttemptQuestion[]> {
  return readInBatches<AttemptQuestion>((last, limit) =>
    selectQuestions(db, attemptId)
      .where('slot', '>', last?.slot ?? -1)
      .orderBy('slot')
      .limit(limit)
      .execute(),
  )
}

export async function findAttemptQuestion(
  db: Kysely<Database>,
  attemptId: number,
  slot: number,
): Promise<AttemptQuestion | undefined> {
  return selectQuestions(db, attemptId).where('slot', '=', slot).executeTakeFirst()
}

export type NewAttempt = Pick<
  Insertable<Database['attempts']>,
  'test_id' | 'version' | 'user_id' | 'client_id' | 'number' | 'counted' | 'started_at' | 'deadline_at'
>

/**
 * Waits for other starts of the person at the test in any language, and prevents further ones until the transaction
 * ends.
 * @returns whether an attempt with the number may start: none is open, and it is the next number
 */
export async function lockStarts(
  transaction: Transaction<Database>,
  { userId, groupId, number }: { userId: number; groupId: number; number: number },
): Promise<boolean> {
  await sql`
    select pg_advisory_xact_lock(hashtext('svc-training attempt'), hashtext(${`${userId} ${groupId}`}))`.execute(
    transaction,
  )
  const { rows } = await sql<{ may_start: boolean }>`
    select coalesce(max(number), 0) < ${number} and not coalesce(bool_or(ended_at is null), false) as may_start
    from attempts where user_id = ${userId} and test_id in (${testsOfGroup(groupId)})`.execute(transaction)
  return rows[0]?.may_start ?? false
}

/**
 * Inserts an attempt with its questions in one statement.
 * @returns its id; undefined if its client id or number is taken, or the person has an open attempt at the test
 */
export async function insertAttempt(
  db: Kysely<Database>,
  attempt: NewAttempt,
  questions: readonly { question_id: number; places: readonly ShownId[] }[],
): Promise<number | undefined> {
  const drawn = JSON.stringify(questions.map((question, slot) => ({ ...question, slot })))
  const row = await db
    .with('started', (statement) =>
      statement
        .insertInto('attempts')
        .values({ ...attempt, last_saved_at: attempt.started_at })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
    )
    .with('drawn', (statement) =>
      statement
        .insertInto('attempt_questions')
        .columns(['attempt_id', 'slot', 'question_id', 'places'])
        .expression(
          sql`select started.id, drawn.slot, drawn.question_id, drawn.places
            from started, jsonb_to_recordset(${drawn}::jsonb) as drawn (slot integer, question_id bigint, places jsonb)`,
        ),
    )
    .selectFrom('started')
    .select('id')
    .executeTakeFirst()
  return row?.id
}

/**
 * Stores an answer in one statement, if its attempt is open and no answer with this or a higher `seq` is stored. Locks
 * the attempt, so that storing an answer and ending the attempt never overlap.
 * @returns whether the answer was stored
 */
export async function writeAnswer(
  db: Kysely<Database>,
  { id, slot, seq, answer, at }: { id: number; slot: number; seq: number; answer: Answer; at: Date },
): Promise<boolean> {
  const { rows } = await sql<{ slot: number }>`
    with opened as (
      select id, last_saved_at from attempts where id = ${id} and ended_at is null for update
    ), saved as (
      update attempt_questions
      set seq = ${seq}::bigint, answer = ${JSON.stringify(answer)}::jsonb, saved_at = ${at}::timestamptz,
        spent_ms = least(
          spent_ms + greatest(0, extract(epoch from ${at}::timestamptz - opened.last_saved_at) * 1000), 2147483647)::integer
      from opened
      where attempt_id = opened.id and slot = ${slot}::integer and seq < ${seq}::bigint
      returning slot
    ), noted as (
      update attempts set last_saved_at = greatest(attempts.last_saved_at, ${at}::timestamptz)
      from opened, saved where attempts.id = opened.id
    )
    select slot from saved`.execute(db)
  return rows.length > 0
}

export async function listOverdueAttempts(
  db: Kysely<Database>,
  before: Date,
  { limit, except }: { limit: number; except: readonly number[] },
): Promise<number[]> {
  const rows = await db
    .selectFrom('attempts')
    .select('id')
    .where('ended_at', 'is', null)
    .where('deadline_at', '<', before)
    .where('id', '<>', ({ fn, val }) => fn('all', [val([...except])]))
    .orderBy('deadline_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Locks an attempt until the end of the transaction, so that no answer can be stored. */
export async function lockAttempt(transaction: Transaction<Database>, id: number): Promise<Attempt | undefined> {
  await transaction.selectFrom('attempts').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  return selectAttempts(transaction).where('attempts.id', '=', id).executeTakeFirst()
}

export interface Result {
  ended_at: Date
  ended_by: 'person' | 'time'
  passed: boolean
  score_percent: number
}

/** Ends a locked attempt and stores its result and the points of its questions. */
export async function writeResult(
  transaction: Transaction<Database>,
  id: number,
  result: Result,
  points: readonly { slot: number; points: number }[],
): Promise<void> {
  await sql`
    update attempt_questions set points = judged.points
    from jsonb_to_recordset(${JSON.stringify(points)}::jsonb) as judged (slot integer, points double precision)
    where attempt_id = ${id} and attempt_questions.slot = judged.slot`.execute(transaction)
  await transaction.updateTable('attempts').set(result).where('id', '=', id).execute()
}

/** Cursor of `deleteAnswersBefore`, which proceeds in the order of `ended_at` and `id`. */
export interface EndedAttempt {
  id: number
  ended_at: Date
}

/**
 * Deletes the answers of attempts that can no longer be reviewed, in the order of `ended_at`. An attempt must meet
 * three conditions, in which the attempts in all languages of the test count:
 * 1. All attempts of the person at the test ended before `before.instant`.
 * 2. The review opens at once, the test has no closing day, or the test closed before `before.day`.
 * 3. If explanations are shown only after a pass or the last attempt, or after a closing day that the published version
 * no longer has: the person has passed or used all attempts, and
 * no open assignment that counts the attempt still requires the test. This condition does not apply if the test was
 * archived before `before.instant`, or if its published version closed before `before.day`.
 * @param after the last attempt of the previous batch
 * @param limit maximum number of attempts
 * @returns the attempts; an attempt that another transaction has locked keeps its answers until the next run
 */
export async function deleteAnswersBefore(
  db: Kysely<Database>,
  before: { instant: Date; day: string },
  {
    at,
    userId,
    after,
    limit,
  }: { at: Date; userId: number | undefined; after: EndedAttempt | undefined; limit: number },
): Promise<EndedAttempt[]> {
  const { rows } = await sql<EndedAttempt>`
    with ended as (
      select attempts.id, attempts.started_at, attempts.ended_at, ${GROUP_ID} as group_id, attempts.user_id, own.definition,
        coalesce(published.definition, own.definition) as published,
        coalesce(tests.archived_at, content_sources.archived_at) as archived_at
      from attempts
        join tests on tests.id = attempts.test_id
        join test_versions as own on own.test_id = attempts.test_id and own.version = attempts.version
        left join test_versions as published
          on published.test_id = tests.id and published.version = tests.published_version
        left join content_sources on content_sources.id = tests.source_id
      where attempts.ended_at < ${before.instant}::timestamptz and answers_deleted_at is null
        and (${userId ?? null}::integer is null or attempts.user_id = ${userId ?? null}::integer)
        and (attempts.ended_at, attempts.id) > (${after?.ended_at ?? '-infinity'}::timestamptz, ${after?.id ?? 0}::integer)
    ), old as (
      select id, ended_at from ended
      where (definition ->> 'review_when' = 'now'
          or coalesce(greatest(definition ->> 'closes', published ->> 'closes'), '') < ${before.day})
        -- A later attempt may open the review of this one.
        and not exists (
          select from attempts as later join tests on tests.id = later.test_id
          where later.user_id = ended.user_id and ${GROUP_ID} = ended.group_id
            and (later.ended_at is null or later.ended_at >= ${before.instant}::timestamptz)
        )
        and (definition ->> 'review_when' = 'now' or definition ->> 'review' <> 'explanations'
          or (definition ->> 'review_when' = 'closed' and published ->> 'closes' is not null)
          or archived_at < ${before.instant}::timestamptz
          or published ->> 'closes' < ${before.day}
          or (not exists (
              select from occurrences
                join assignments on assignments.id = occurrences.assignment_id and assignments.archived_at is null
                join assignment_parts as part on part.assignment_id = occurrences.assignment_id
              where occurrences.user_id = ended.user_id and part.test_id = ended.group_id
                and state in ('open', 'in_progress') and counts_from <= ended.started_at
                and not exists (
                  select from occurrence_parts as done
                  where done.occurrence_id = occurrences.id and done.position = part.position
                )
            ) and (exists (
              select from attempts as passed join tests on tests.id = passed.test_id
              where passed.user_id = ended.user_id and ${GROUP_ID} = ended.group_id and passed.passed
            )
            or (published ->> 'attempts')::integer <= (
              select count(*) from attempts as made join tests on tests.id = made.test_id
              where made.user_id = ended.user_id and ${GROUP_ID} = ended.group_id
            ))))
      order by ended_at, id limit ${limit}
    ), taken as (
      -- Locks attempts before their questions, like the deletion of an account, and skips locked ones.
      select attempts.id from attempts join old on old.id = attempts.id for update of attempts skip locked
    ), emptied as (
      update attempt_questions set answer = null from taken where attempt_id = taken.id
    ), marked as (
      update attempts set answers_deleted_at = ${at}::timestamptz from taken where attempts.id = taken.id
    )
    select id, ended_at from old order by ended_at, id`.execute(db)
  return rows
}

/**
 * Deletes the score and the questions of attempts whose answers have been deleted, in the order of their ids.
 * @param after the last id of the previous batch
 * @param limit maximum number of attempts
 * @returns the ids
 */
export async function deleteScores(
  db: Kysely<Database>,
  { userId, after, limit }: { userId: number | undefined; after: number | undefined; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with emptied as (
      select id from attempts
      where answers_deleted_at is not null and score_percent is not null and id > ${after ?? 0}::integer
        and (${userId ?? null}::integer is null or user_id = ${userId ?? null}::integer)
      order by id limit ${limit} for update skip locked
    ), deleted as (
      delete from attempt_questions using emptied where attempt_id = emptied.id
    ), marked as (
      update attempts set score_percent = null from emptied where attempts.id = emptied.id
    )
    select id from emptied order by id`.execute(db)
  return rows.map(({ id }) => id)
}
