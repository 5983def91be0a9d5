import { type Kysely, sql } from 'kysely'
import type { PartKind } from '../../../src/domain/assignments/assignment.js'
import type { Database } from '../../types.js'
import { matchesFilter, type OccurrenceFilter } from '../assignments/completion.js'
import { liveVersion } from '../content/editing/state.js'
import { insertProofEvents } from '../webhooks/announce.js'

// Raw SQL: the parts are a JSON aggregate with `lateral` subqueries, and rows come from JSON.

export interface Completed {
  occurrence_id: number
  assignment_id: number
  user_id: number
  name: string
  personnel_number: string | null
  title: string
  retention_years: number
  every_months: number | null
  window_end: string | null
  opens_days_before: number | null
  period: string
  due_on: string
  /** Due day, extensions included; without the new due day of an occurrence that was missed and opened again */
  last_day: string
  done_on: string
  parts: CompletedPart[]
}

export interface CompletedPart {
  kind: PartKind
  /** Title of the original */
  title: string
  /** Language in which the part was done; null for a personal part, or if it is not known */
  lang: string | null
  /** Title in that language; null unless the part was done in a variant */
  variant_title: string | null
  share_percent: number | null
  done_on: string
  confirmed_by: string | null
  note: string | null
  /** Version of the sheet at its confirmation, or of the passed test; null for other kinds and for deleted content */
  version: number | null
  sha256: string | null
  pass_percent: number | null
}

/**
 * Returns completed occurrences without a certificate, in the order of their ids. Version and hash of a sheet are those
 * that the person has confirmed.
 * @param timeZone IANA name
 */
export async function listCompleted(
  db: Kysely<Database>,
  filter: OccurrenceFilter,
  { timeZone, limit }: { timeZone: string; limit: number },
): Promise<Completed[]> {
  const { rows } = await sql<Completed>`
    select occurrences.id as occurrence_id, assignment_id, user_id, display_name as name,
      personnel_number, assignments.title, retention_years, every_months, window_end, opens_days_before, period,
      occurrences.due_on,
      case when reopened_at is null then coalesce(extended_until, occurrences.due_on) else occurrences.due_on end as last_day,
      done_on, (
        select json_agg(json_build_object(
            'kind', part.kind, 'lang', case when part.kind <> 'personal' then done_lang end,
            'title', case when is_variant then coalesce(original_title, part.title) else coalesce(own_title, part.title) end,
            'variant_title', case when is_variant then own_title end,
            'share_percent', share_percent,
            'done_on', coalesce(held_on, (done.done_at at time zone ${timeZone}::text)::date),
            'confirmed_by', confirmed_by, 'note', done.note,
            'version', coalesce(sheet.version, taken.version), 'sha256', encode(coalesce(sheet.hash, taken.hash), 'hex'),
            'pass_percent', taken.pass_percent
          ) order by part.position)
        from occurrence_parts as done
          join assignment_parts as part on part.assignment_id = occurrences.assignment_id and part.position = done.position
          cross join lateral (
            select coalesce(part.cheatsheet_id, part.test_id, part.deck_id) as original_id,
              coalesce(content_id, part.cheatsheet_id, part.test_id, part.deck_id) as item_id
          ) as item
          left join lateral (
            select version, title, sha256(convert_to(title || E'\n' || content_md, 'UTF8')) as hash
            from (
              select version, title, content_md, superseded_at from sheet_versions
              where part.kind = 'sheet' and sheet_versions.cheatsheet_id = item_id
              union all
              select ${liveVersion('cheatsheets')}, title, content_md, 'infinity' from cheatsheets
              where part.kind = 'sheet' and id = item_id
            ) as texts
            where version = done.sheet_version or (done.sheet_version is null and superseded_at > done.done_at)
            order by superseded_at limit 1
          ) as sheet on true
          left join lateral (
            select attempts.version, digest as hash, definition ->> 'name' as title,
              (definition ->> 'pass_percent')::integer as pass_percent
            from attempts join test_versions using (test_id, version)
            where part.kind = 'test' and attempts.user_id = occurrences.user_id and attempts.test_id = item_id and passed
              and ended_at = done.done_at
            order by attempts.id limit 1
          ) as taken on true
          cross join lateral (
            select coalesce(sheet.title, taken.title,
                (select name from decks where part.kind = 'deck' and id = item_id)) as own_title,
              content_id is not null and original_id is not null and content_id <> original_id as is_variant,
              coalesce((select title from cheatsheets where id = part.cheatsheet_id),
                (select test_versions.definition ->> 'name' from test_versions join tests
                  on tests.id = test_id and published_version = version where tests.id = part.test_id),
                (select name from decks where id = part.deck_id)) as original_title,
              coalesce(done.lang, (select lang from imported_cheatsheets where cheatsheet_id = part.cheatsheet_id),
                (select lang from tests where id = part.test_id),
                (select lang from imported_decks where deck_id = part.deck_id)) as done_lang
          ) as texts
        where done.occurrence_id = occurrences.id
      ) as parts
    from occurrences
      join assignments on assignments.id = assignment_id
      join users on users.id = user_id
    where state = 'done' and proof_deleted_on is null and ${matchesFilter(filter)}
      and not exists (select from proofs where proofs.occurrence_id = occurrences.id)
    order by occurrences.id limit ${limit}`.execute(db)
  return rows
}

export interface NewCertificate {
  code: string
  user_id: number
  assignment_id: number
  occurrence_id: number
  snapshot: string
  completed_on: string
  valid_until: string | null
  issued_at: Date
  retention_years: number
}

/**
 * Stores certificates with their events, except for occurrences that already have a certificate that was not replaced.
 */
export async function insertCertificates(db: Kysely<Database>, certificates: readonly NewCertificate[]): Promise<void> {
  if (certificates.length === 0) return
  await sql`
    with issued as (
      insert into proofs (code, user_id, assignment_id, occurrence_id, snapshot, completed_on, valid_until, issued_at,
        retention_years)
      select code, user_id, assignment_id, occurrence_id, snapshot, completed_on, valid_until, issued_at, retention_years
      from jsonb_to_recordset(${JSON.stringify(certificates)}::jsonb) as given (
        code text, user_id integer, assignment_id integer, occurrence_id integer, snapshot text, completed_on date,
        valid_until date, issued_at timestamptz, retention_years integer)
      order by occurrence_id
      on conflict (occurrence_id) where replaced_by is null do nothing
      returning id, code, user_id, assignment_id, occurrence_id, snapshot, completed_on, valid_until
    )
    ${insertProofEvents('proof.issued', 'issued')}`.execute(db)
}
