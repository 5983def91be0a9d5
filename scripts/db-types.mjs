// Writes db/types.ts from a migrated database. Run it with `npm run db:types` after a change of the schema.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate, PostgresDialect } from 'kysely-codegen'

/** Types of columns that the database does not know: values of texts, JSON, and what triggers maintain */
const COLUMNS = {
  'users.language': 'Language | null',
  'users.language_used': 'Language | null',
  'assignment_parts.kind': 'PartKind',
  'occurrences.state': 'Generated<OccurrenceState>',
  'proofs.issued_at': 'Fixed<Date>',
  'proofs.person_key': 'Derived<string>',
  'mails.kind': 'MailKind',
  'mails.state': 'Generated<MailState>',
  'mail_reminders.kind': 'ReminderKind',
  'teams.scim_state': 'ScimState | null',
  'team_members.role': 'TeamRole',
  'team_members.origin': 'MemberOrigin',
  'sessions.authenticated_by': 'Generated<SignInMethod>',
  'spent_logout_tokens.expires_at': 'Fixed<Date>',
  'passkey_challenges.purpose': "'register' | 'login'",
  'passkey_challenges.expires_at': 'Fixed<Date>',
  'api_tokens.last_used_at': 'SetLater<Date>',
  'api_tokens.scopes': 'Generated<Scope[]>',
  'audit_log.via': 'AuditVia',
  'audit_log.details': 'FixedNullableJsonText<unknown>',
  'decks.card_count': 'Derived<number>',
  'cards.exercise': 'NullableJsonText<unknown>',
  'card_progress.deck_id': 'Derived<number | null>',
  'card_progress.last_rating': 'Rating | null',
  'quiz_results.score_percent': 'ColumnType<number, bigint | number, never>',
  'cheatsheet_texts.cheatsheet_id': 'Derived<number>',
  'cheatsheet_texts.sort_title': 'Derived<string>',
  'cheatsheet_texts.summary': 'Derived<string>',
  'cheatsheet_texts.title': 'Derived<string>',
  'cheatsheet_texts.content': 'Derived<string>',
  'search_pending.kind': "'deck' | 'cheatsheet' | 'card'",
  'search_pending.ids': 'Derived<number[]>',
  'review_log.kind': "'review' | 'undo' | 'reset' | 'tomorrow'",
  'review_log.rating': 'Rating | null',
  'review_log.previous_rating': 'Rating | null',
  'review_log.phase': 'ReviewPhase | null',
  'review_log.created_at': 'Fixed<Date>',
  'review_log.before': 'FixedNullableJsonText<CardState>',
  'review_log.after': 'FixedNullableJsonText<CardState>',
  'review_log.answer': 'FixedJsonText<unknown>',
  'fitted_parameters.current': 'NullableJsonText<FittedParameters>',
  'fitted_parameters.previous': 'NullableJsonText<FittedParameters>',
  'form_requests.kind': 'FormKind',
  'job_runs.summary': 'NullableJsonText<unknown>',
  'card_positions.deck_id': 'Derived<number>',
  'card_positions.position': 'Derived<number>',
  'card_positions.card_id': 'Derived<number>',
  'distinct_answers.answer_hash': 'Derived<Buffer>',
  'distinct_answers.position': 'Derived<number>',
  'distinct_answers.card_count': 'Derived<number>',
  'distinct_answers.option_text': 'Derived<string>',
  'distinct_answer_totals.id': 'Derived<boolean>',
  'distinct_answer_totals.total': 'Derived<number>',
  'content_sources.kind': 'StoredKind',
  'content_sources.table_layout': 'NullableJsonText<TableLayout>',
  'content_changes.at': 'ColumnType<Date, Date | undefined, never>',
  'content_changes.how': 'ChangeKind',
  'content_changes.summary': 'NullableJsonText<unknown>',
  'content_changes.undoes': 'Fixed<number | null>',
  'content_change_items.card_id': 'Fixed<number | null>',
  'content_change_items.cheatsheet_id': 'Fixed<number | null>',
  'content_change_items.before': 'FixedNullableJsonText<ItemState>',
  'content_change_items.after': 'FixedJsonText<ItemState>',
  'card_versions.exercise': 'FixedNullableJsonText<unknown>',
  'media.extension': 'PictureExtension',
  'card_reports.outcome': "'accepted' | 'declined' | null",
  'last_import.via': "AuditVia | 'start'",
  'last_import.outcome': "'done' | 'refused'",
  'last_import.stats': 'NullableJsonText<unknown>',
  'last_import.errors': 'JsonText<unknown>',
  'tests.definition': 'JsonText<TestDefinition>',
  'test_versions.definition': 'FixedJsonText<TestDefinition>',
  'test_questions.content': 'FixedJsonText<FrozenQuestion>',
  'attempts.started_at': 'Fixed<Date>',
  'attempts.deadline_at': 'Fixed<Date | null>',
  'attempts.ended_at': 'SetLater<Date>',
  'attempts.ended_by': "SetLater<'person' | 'time'>",
  'attempts.passed': 'SetLater<boolean>',
  'attempts.score_percent': 'ColumnType<number | null, never, number | null>',
  'attempts.answers_deleted_at': 'SetLater<Date>',
  'attempt_questions.places': 'FixedJsonText<ShownId[]>',
  'attempt_questions.answer': 'NullableJsonText<Answer>',
  'attempt_questions.saved_at': 'SetLater<Date>',
  'attempt_questions.points': 'SetLater<number>',
  'question_sums.sums': 'JsonText<unknown>',
  'question_sums.report': 'NullableJsonText<unknown>',
  'webhooks.kind': 'WebhookKind',
  'webhooks.events': 'WebhookEvent[]',
  'webhooks.pause_cause': 'PauseCause | null',
  'webhook_events.type': 'EventType',
  'webhook_events.data': 'FixedJsonText<EventData>',
  'webhook_events.state': 'Generated<DeliveryState>',
  'webhook_events.fault': 'DeliveryFault | null',
  'question_reports.cells': 'FixedJsonText<Record<string, number>>',
}

/** The types in `COLUMNS` by the file that exports them, relative to db/types.ts */
const IMPORTS = {
  '../src/domain/accounts/scopes.js': ['Scope'],
  '../src/domain/assignments/assignment.js': ['PartKind'],
  '../src/domain/assignments/plan.js': ['OccurrenceState'],
  '../src/domain/content/upload/incoming.js': ['StoredKind'],
  '../src/domain/form-requests.js': ['FormKind'],
  '../src/domain/mail/mail.js': ['MailKind', 'MailState'],
  '../src/domain/mail/reminders.js': ['ReminderKind'],
  '../src/domain/questions/frozen.js': ['FrozenQuestion'],
  '../src/domain/questions/judge.js': ['Answer'],
  '../src/domain/review/parameters.js': ['FittedParameters'],
  '../src/domain/review/review.js': ['CardState', 'Rating', 'ReviewPhase'],
  '../src/domain/table-layout.js': ['TableLayout'],
  '../src/domain/teams/teams.js': ['MemberOrigin', 'ScimState', 'TeamRole'],
  '../src/domain/text/language.js': ['Language'],
  '../src/domain/tests/attempt.js': ['ShownId'],
  '../src/domain/tests/definition.js': ['TestDefinition'],
  '../src/domain/webhooks/delivery.js': ['DeliveryFault', 'DeliveryState'],
  '../src/domain/webhooks/events.js': ['EventData', 'EventType', 'WebhookEvent'],
  '../src/domain/webhooks/webhook.js': ['PauseCause', 'WebhookKind'],
  './column-types.js': [
    'AuditVia',
    'ChangeKind',
    'Derived',
    'Fixed',
    'FixedJsonText',
    'FixedNullableJsonText',
    'ItemState',
    'JsonText',
    'NullableJsonText',
    'PictureExtension',
    'SetLater',
    'SignInMethod',
  ],
}

/** Returns the text of db/types.ts for the schema of the database. */
export async function generateTypes(db) {
  const text = await generate({
    db,
    dialect: new PostgresDialect({ dateParser: 'string' }),
    excludePattern: 'kysely_*',
    // The parsers in db/client.ts return these.
    typeMapping: { int8: 'number', timestamptz: 'Date' },
    overrides: { columns: COLUMNS },
    customImports: Object.fromEntries(
      Object.entries(IMPORTS).flatMap(([file, names]) => names.map((name) => [name, `${file}#${name}`])),
    ),
  })
  return text.replace('export interface DB {', 'export interface Database {')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { openDatabase } = await import('../dist/db/client.js')
  const { migrateToLatest } = await import('../dist/db/migrate.js')
  const dataDir = mkdtempSync(path.join(tmpdir(), 'svc-training-types-'))
  const database = await openDatabase({ dataDir, poolMax: 1, onIdleError: () => {} })
  await migrateToLatest(database.db)
  writeFileSync(path.join(import.meta.dirname, '../db/types.ts'), await generateTypes(database.db))
  await database.close()
  rmSync(dataDir, { recursive: true })
}
