import { type Kysely, sql } from 'kysely'

/**
 * Creates a table of the counts that reports of questions have published. A later report is compared with all of them.
 * Of earlier reports only the last one is known, and not its number of persons with all points. Therefore its counts are
 * stored as if they had been published today, which is later: the next report then waits for more persons, not for fewer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table question_sums rename column report_persons to checked_persons`.execute(db)
  await sql`
    create table question_reports (
      question_id bigint not null,
      persons integer not null,
      cells jsonb not null,
      published_at timestamptz not null,
      constraint question_reports_pkey primary key (question_id, persons),
      constraint question_reports_question_id_fkey foreign key (question_id) references test_questions (id) on delete cascade
    )`.execute(db)
  await sql`
    insert into question_reports (question_id, persons, cells, published_at)
    select question_id, (sums #>> '{item,persons}')::integer, cells, now()
    from question_sums
      join test_questions on test_questions.id = question_id
      cross join lateral (
        select content ->> 'form' as form, coalesce(content -> 'options', '[]') as options
      ) as question
      cross join lateral (
        select
          case when report ->> 'unanswered' is null then '{}'
            else jsonb_build_object('unanswered', (sums ->> 'unanswered')::integer) end
          || case when form = 'single' or report ->> 'facility' is null then '{}'
            else jsonb_build_object('full', (sums ->> 'full')::integer) end
          || (
            select coalesce(jsonb_object_agg('option ' || (option ->> 'id'),
              coalesce((sums -> 'chosen' ->> (option ->> 'id'))::integer, 0)
                - case when form = 'multiple' and (option -> 'correct')::boolean then (sums ->> 'full')::integer else 0 end
            ), '{}')
            from jsonb_array_elements(options) as option
            where exists (
              select from jsonb_array_elements(report -> 'options') as reported
              where reported ->> 'id' = option ->> 'id' and reported ->> 'count' is not null)
          ) as cells
      ) as shown
    where report is not null and cells <> '{}'`.execute(db)
  await sql`
    update question_sums set checked_persons = (sums #>> '{item,persons}')::integer,
      report = report || jsonb_build_object('as_of', null, 'unanswered_as_of', null, 'options', (
        select coalesce(jsonb_agg(option || '{"as_of": null}' order by place), '[]')
        from jsonb_array_elements(report -> 'options') with ordinality as reported (option, place)))
    where report is not null`.execute(db)
}
