import { type Kysely, sql } from 'kysely'
import type { CardTexts } from '../../../../src/domain/content/editing/card.js'
import type { Exercise } from '../../../../src/domain/questions/exercise.js'
import type { ChangeKind, Database } from '../../../types.js'
import { liveVersion } from './state.js'

/** A text of a card with the change that wrote it. */
export interface CardVersion extends CardTexts {
  version: number
  changed_at: Date
  /** User name of the author; null if unknown or deleted */
  changed_by: string | null
  /** User name of the editor who accepted the author's suggestion */
  accepted_by: string | null
  /** Null if no change is recorded: an import records none for a first version, a script none at all */
  how: ChangeKind | null
}

const MAX_VERSION = 2 ** 31 - 1

/** Returns texts of a card, newest first, before the version `before`. */
export async function listCardVersions(
  db: Kysely<Database>,
  id: number,
  before: number | undefined,
  limit: number,
): Promise<CardVersion[]> {
  return (
    db
      .with('texts', (cte) =>
        cte
          .selectFrom('card_versions')
          .select(['version', 'question', 'answer', 'level', 'exercise'])
          .where('card_id', '=', id)
          .unionAll(
            cte
              .selectFrom('cards')
              .select([liveVersion('cards').as('version'), 'question', 'answer', 'level', 'exercise'])
              .where('id', '=', id),
          ),
      )
      .selectFrom('texts')
      // The text before a version tells which change wrote it.
      .leftJoin('card_versions as former', (join) =>
        join
          .on('former.card_id', '=', id)
          .on(({ eb, ref }) => eb(sql`${ref('former.version')} + 1`, '=', ref('texts.version'))),
      )
      .leftJoin('content_change_items as creation', (join) =>
        join.on('creation.card_id', '=', id).on('creation.before', 'is', null).on('texts.version', '=', sql.lit(1)),
      )
      .leftJoin('content_changes as change', (join) =>
        join.on(({ eb, fn }) => eb('change.id', '=', fn.coalesce('former.change_id', 'creation.change_id'))),
      )
      .leftJoin('users', 'users.id', 'change.user_id')
      .leftJoin('users as acceptors', 'acceptors.id', 'change.editor_id')
      .innerJoin('cards', (join) => join.on('cards.id', '=', id))
      .select(['texts.version', 'texts.question', 'texts.answer', 'texts.level', 'change.how'])
      .select(({ fn, ref }) => [
        sql<Exercise | null>`${ref('texts.exercise')}`.as('exercise'),
        fn.coalesce('former.superseded_at', 'cards.created_at').as('changed_at'),
        'users.username as changed_by',
        'acceptors.username as accepted_by',
      ])
      .where('texts.version', '<', Math.min(before ?? MAX_VERSION, MAX_VERSION))
      // The oldest of the latest versions only tells who wrote the next one.
      .where(({ or, eb }) => or([eb('texts.version', '=', 1), eb('former.version', 'is not', null)]))
      .orderBy('texts.version', 'desc')
      .limit(limit)
      .execute()
  )
}

/** Returns a superseded text of a card. */
export async function findCardVersion(
  db: Kysely<Database>,
  id: number,
  version: number,
): Promise<CardTexts | undefined> {
  return db
    .selectFrom('card_versions')
    .select(['question', 'answer', 'level'])
    .select(({ ref }) => sql<Exercise | null>`${ref('exercise')}`.as('exercise'))
    .where('card_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Returns superseded texts of many cards, by card. */
export async function findCardVersions(
  db: Kysely<Database>,
  wanted: readonly { id: number; version: number }[],
): Promise<Map<number, CardTexts>> {
  const rows = JSON.stringify(wanted)
  const { rows: found } = await sql<CardTexts & { id: number }>`
    select card_id as id, question, answer, level, exercise
    from jsonb_to_recordset(${rows}::jsonb) as wanted (id integer, version integer)
    join card_versions on card_id = wanted.id and card_versions.version = wanted.version`.execute(db)
  return new Map(found.map(({ id, ...texts }) => [id, texts]))
}
