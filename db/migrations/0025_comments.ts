import { type Kysely, sql } from 'kysely'

/** Describes tables and columns in the database, from which `npm run db:types` copies the sentences into the types. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, { table: sentence, columns }] of Object.entries(COMMENTS)) {
    if (sentence !== undefined) await sql`comment on table ${sql.table(table)} is ${sql.lit(sentence)}`.execute(db)
    for (const [column, text] of Object.entries(columns)) {
      await sql`comment on column ${sql.ref(`${table}.${column}`)} is ${sql.lit(text)}`.execute(db)
    }
  }
}

interface Comments {
  table?: string
  columns: Record<string, string>
}

const COMMENTS: Record<string, Comments> = {
  assignments: {
    table: 'An assignment: parts that an audience is asked to complete by a due day; voluntary unless `mandatory`.',
    columns: {
      starts_on: 'First day of the first period; null if each person starts on the day of joining the audience',
      due_on: 'Due day of the first period; null if `due_days` is set',
      due_days: 'Number of days from the first day of the first period to its due day; null if `due_on` is set',
      every_months: 'Interval of the recurrence in months; null, like `opens_days_before`, without recurrence',
      window_end:
        'Month and day (`MM-DD`) on which a later period is due; null without recurrence, or if each period follows the last completion',
      opens_days_before:
        'Days from the opening of a later period to its regular due day; does not apply to the first period',
      everybody_from: 'Day from which all users are in the audience; null if only teams and individual persons are',
      version: 'Version of the content: 1 plus the number of renewals',
      corrected_at: 'Time up to which changes of the content were corrections, which do not require a renewal',
      planned_on: 'Last day on which the occurrences of all persons were planned',
      edit_version: '1 plus the number of changes of the fields that the form edits',
    },
  },
  assignment_parts: {
    table: 'A part of an assignment. Its content may be deleted later; the title then remains.',
    columns: {
      share_percent:
        "Percent of a deck's cards that must be rated `medium` or `easy`. Null if each card must be reviewed, with any rating, and for other kinds of parts.",
    },
  },
  occurrences: {
    table: 'The task of one person for one period of an assignment.',
    columns: {
      period: 'First day of the period, which identifies the period',
      covered_until: 'Last day of an exemption or of a recognised external proof',
      done_on: "Day of the completion, exemption or recognition in the service's time zone; null until then",
      counts_from:
        "Attempts before this time do not count. Earlier reviews do not count either, except in a person's first period that no renewal has restarted.",
      extra_attempts: 'Attempts granted beyond the limit of the test',
    },
  },
  occurrence_parts: {
    columns: {
      held_on: 'Day of the instruction of a `personal` part; null for other kinds',
      confirmed_by: 'Name of the instructor at the time of the confirmation',
    },
  },
  proofs: {
    table: 'A proof of a completed occurrence. It outlives the account, the assignment and the content.',
    columns: {
      snapshot: 'Canonical JSON (src/domain/proofs/snapshot.ts)',
      delete_after:
        'Last day of the retention, which `setDeletionDays` computes; null while the retention has not begun',
      revocation: 'Reason of the revocation',
      replaced_by: 'Code of the proof that replaces this proof',
    },
  },
  mails: {
    columns: {
      day: 'Day for which the mail was planned',
      body: 'Text of the mail; null once it was sent, or failed in a way that makes another attempt useless',
      claimed_at: 'Time at which an instance began the latest attempt to send the mail',
      answer: 'Last response of the mail server, or the reason why the mail was not sent',
    },
  },
  mail_reminders: {
    table:
      'Last day on which a reminder of each kind was planned for an occurrence. The row stays when the mail is deleted.',
    columns: {},
  },
  calendar_tokens: {
    table: "Hash of the token in the secret URL of a person's calendar of tasks.",
    columns: {},
  },
  teams: {
    columns: {
      external_group: 'Group of the identity provider whose users are members of the team',
      edit_version: '1 plus the number of changes of the name or the group',
    },
  },
  team_members: {
    columns: {
      until_on: 'Day on which the membership ended; null while it is current',
    },
  },
  users: {
    columns: {
      is_author:
        'Whether the user may create sources, and edit sources as an editor; administrators may do both without this right',
      must_change_password:
        'Whether the user must change the password before anything else. Applies to sessions authenticated by password, and to API tokens of users who have a password.',
      emergency: 'Whether the account may log in with a password while `PASSWORD_LOGIN` is off',
      link_next_login:
        'Whether the next provider login with this user name may be linked to the account; reset when the user logs in through the provider, links an identity, or renews the proof of identity through the provider',
      link_allowed_at: 'Time at which `link_next_login` was last set to true; the permission expires after seven days',
      passkey_only: 'Whether the user has disabled password login for the account',
      extra_time_percent: 'Additional time for tests with a time limit, in percent of the limit',
      disabled_on:
        'First day on which the account is disabled, possibly in the future; null if no deactivation is planned',
      email: 'Several accounts may share an address.',
      due_cards_mail_key:
        'Key in the unsubscribe link of the mail about due cards; null if the user does not receive that mail',
    },
  },
  sessions: {
    columns: {
      address: 'IP address of the client at the login',
      authenticated_at:
        'Time of the proof of identity. It equals `created_at`, or for a login through the provider the time at which the provider authenticated the user (1970 if unknown). A renewed proof replaces the session.',
      provider_session:
        "Id (`sid`) of the provider's session that the login used. A login without such a session keeps the id that the replaced session of the same user had; null if there is none.",
    },
  },
  spent_logout_tokens: {
    columns: {
      token_hash: 'SHA-256 of issuer and `jti`',
    },
  },
  passkeys: {
    columns: {
      user_handle: 'WebAuthn user handle, the same for all passkeys of a user',
    },
  },
  passkey_challenges: {
    columns: {
      user_id: 'Null for a login',
      network: 'Network of the client, as returned by `networkOf`',
    },
  },
  api_tokens: {
    columns: {
      scopes: 'Defaults to all scopes',
    },
  },
  login_failures: {
    columns: {
      network: 'Network of the client, as returned by `networkOf` or `siteOf`',
      account_hash:
        "SHA-256 of the entered user name or of a passkey's id (see `loginAttempt`); empty for the whole network",
    },
  },
  audit_log: {
    columns: {
      actor_id: 'Null on the command line, and for a logout by the provider',
    },
  },
  cards: {
    columns: {
      exercise: 'Form and options of a question (src/domain/questions); null for a plain card',
    },
  },
  card_progress: {
    columns: {
      deck_id: 'Null while the card is archived',
      stability:
        'Stability in days after the last review; null, like `difficulty`, if only a script has written the row',
      last_review_id: 'Id of the latest review that the state includes; null if there is none',
    },
  },
  cheatsheet_texts: {
    table:
      'Search text of each live sheet: `title` and `content` in NFC and lower case, and the `summary` as a JSON string.',
    columns: {},
  },
  search_words: {
    table:
      'Distinct words of all indexed texts, in NFC and lower case. The table keeps words that no text contains any more.',
    columns: {
      stem: "Stem of the word by PostgreSQL's German dictionary; the word itself if the dictionary yields none",
    },
  },
  search_pending: {
    table:
      'Queue of changed rows that are not indexed yet. An entry has the ids of up to 200 decks or cards, or 10 sheets.',
    columns: {},
  },
  search_decks: {
    columns: {
      words: 'Word ids of the title and of the text',
    },
  },
  search_cheatsheets: {
    columns: {
      words: 'Word ids of the title and of the text',
    },
  },
  search_cards: {
    columns: {
      words: 'Word ids of the title and of the text',
    },
  },
  review_log: {
    table: 'Append-only: an undo is a separate entry that repeats the facts of the undone entry.',
    columns: {
      deck_id: 'Deck of the card at the time of the entry or, for an undo, of the undone entry',
      kind: '`tomorrow` puts a card off until tomorrow; like `reset`, it has no rating',
      phase:
        '`new`: first review of a new or reset card. `repeat`: a later review of the card on the same day. `late`: a review given before a review or reset that the state includes, or a `tomorrow` without effect; the entry left the state unchanged. `recall`: all other reviews. An undo has the phase of the undone entry. Null for a reset, and for a `tomorrow` with effect',
      interval_days: 'Interval of the card before the entry, in days; null if the card had none',
      created_at:
        'Time at which the entry was made, possibly offline long before its arrival; ids are in the order of arrival.',
      answer: 'The part of the response that a retry cannot derive from the other columns, such as the counts',
    },
  },
  offered_decks: {
    table: 'Decks that are inactive for a learner until the learner chooses them.',
    columns: {},
  },
  review_settings: {
    columns: {
      extra_new: 'New cards beyond the daily number, valid only on the day `extra_new_on`',
      adapt_intervals: 'Whether parameters are fitted to the learner and applied',
      free_weekdays: 'Weekdays (Monday is 1) on which no card becomes due if its interval can be varied to another day',
    },
  },
  fitted_parameters: {
    table: '`tried_at` and `tried_items` are the time and the number of recalls of the last attempt to fit parameters.',
    columns: {
      current: 'Null before the first successful fit, and after the defaults were restored',
      previous: 'Fitted parameters that `current` or the defaults have replaced',
      states_since:
        'The memory states in log entries up to this id may come from other parameters than those in `card_progress`.',
    },
  },
  deck_retentions: {
    table: "A learner's desired retention of a deck, which overrides the author's.",
    columns: {},
  },
  deck_defaults: {
    table: "The author's desired retention of a deck, which overrides the learner's general setting.",
    columns: {},
  },
  deck_versions: {
    table: 'Versions of changed decks, for their form. A deck without a row has the version 1.',
    columns: {},
  },
  form_requests: {
    table:
      'The object that a request with a client id has created, so that a repeated request does not create another one.',
    columns: {
      body_hash: 'SHA-256 of the parsed request',
      object_id: 'Id of the object, which may have been deleted since',
    },
  },
  job_runs: {
    columns: {
      leased_until:
        'End of the lease, which the running instance extends; null or in the past if the job is not running',
      finished_on: 'Day of the latest finished nightly run; manual runs and jobs that run more often do not change it.',
    },
  },
  card_positions: {
    table: 'Positions of the live cards of each deck, from 0 to `card_count` - 1, in arbitrary order.',
    columns: {},
  },
  distinct_answers: {
    table: 'Distinct answers of live cards in live decks, at positions from 0 to `total` - 1.',
    columns: {},
  },
  distinct_answer_totals: {
    table: 'Number of distinct answers; the table has one row.',
    columns: {},
  },
  content_sources: {
    table: 'A source of content: an uploaded package, table or archive, or content written in the browser.',
    columns: {
      file_name: 'Null without a file, for example for a pasted table',
      size_bytes: 'Size in bytes of the latest upload; 0 without an upload',
      created_by: 'User name of the creator at the time of the creation; null on the command line',
      table_layout: 'What was chosen for its tables; null if nothing was',
    },
  },
  imported_decks: {
    table:
      'Decks of the content folder and of sources, including archived ones. A deck of a deleted source has no row in this table, but its cards keep their identities.',
    columns: {
      file: 'Path relative to the content folder; null for a source',
      source_id: 'Null for a deck of the content folder',
      tests_only:
        'Whether the deck is a pool of test questions, which `archived_at` of the deck always hides from learners',
      options_off: 'Whether task lists in answers are text instead of options',
      lang: 'Language of the texts (BCP 47)',
    },
  },
  imported_cards: {
    table: 'Identities of cards: (`deck_id`, `key`), and for cards of Anki notes also (`guid`, `ord`).',
    columns: {
      guid: 'Guid of the Anki note; null, like `ord`, for a card without a note',
      ord: 'Index of the card template or cloze of the Anki note, from 0',
      draft: 'Whether the card is a draft, which `archived_at` hides from learners until it is published',
      edited: 'Whether the card of an uploaded source has a change from the browser that no later upload has replaced',
      client_id: 'Id that the client sends with the creation, so that a retry finds the same row',
    },
  },
  imported_cheatsheets: {
    columns: {
      source_id: 'Null for a sheet of the content folder',
    },
  },
  source_editors: {
    table: 'Editors of sources. They may edit a source only while they are authors or administrators.',
    columns: {},
  },
  content_changes: {
    table: 'One operation that changed content, such as an edit, an upload or an import of the content folder.',
    columns: {
      user_id:
        'User who made or suggested the change; null for the command line, the service start, or a deleted account',
      editor_id:
        'Editor who accepted the text that `user_id` suggested; null for other changes, or if the account was deleted',
      source_id: 'Null for an import of the content folder, or if the source has been deleted',
    },
  },
  content_change_items: {
    columns: {
      before: 'Null if the change created the item',
    },
  },
  card_versions: {
    table: 'Superseded texts of cards; a trigger writes the rows. The row in `cards` is the newest version.',
    columns: {
      change_id: 'Id of the change that superseded the text; null for scripts, or if the change has been deleted',
    },
  },
  picture_uses: {
    table: 'Pictures that cards, sheets and tests show or have shown; triggers write the rows.',
    columns: {
      is_current:
        'Whether the current text shows the picture; false if only superseded versions do; always true for tests',
    },
  },
  media: {
    columns: {
      created_by:
        'User who uploaded the picture by itself, or the author whose file contained it; null for pictures of the content folder, for files of administrators, and if the account was deleted',
    },
  },
  card_reports: {
    table: 'Reports of faulty cards; each learner has at most one open report per card.',
    columns: {
      user_id: 'Null if the account has been deleted',
      settled_by: 'User name that the administrator or editor had when settling the report',
      card_version: 'Version of the card that the suggestion is based on; null without a suggestion',
      suggested_question: 'Null together with `suggested_answer`',
    },
  },
  last_import: {
    table: 'At most one row: the last import of the content folder that was completed or refused.',
    columns: {
      actor: 'User name of the user who started the import; null for the command line and the start of the service',
    },
  },
  tests: {
    table: 'A test with the definition that its editors change; learners take its published version.',
    columns: {
      source_id: 'Null for a test of the content folder or of a deleted source',
      file: 'Path relative to the content folder; null for a test of a source, even after the source is deleted',
      edit_version:
        "1 at first; each change of the definition increments it, so that editors do not overwrite each other's changes",
    },
  },
  test_versions: {
    table: 'A published version, which never changes.',
    columns: {
      open_questions:
        'Whether at least one question comes from a deck that is not a pool, so that learners can look the question up',
      digest: 'SHA-256 of the definition, the questions without their random ids, and `open_questions`',
      published_by: 'User name of the editor at the time of the publication; null for imports',
    },
  },
  test_questions: {
    table: 'A question copied by a publication.',
    columns: {
      section: 'Index of the section, from 0',
      position: 'Index of the question within the section, from 0',
      card_id: 'Null if the card has been deleted',
    },
  },
  attempts: {
    columns: {
      client_id: 'Id that the client sends with the start, so that a retry gets the same attempt',
      number: "Number of the attempt among the person's attempts at the test, from 1",
      counted: 'False if the person could edit the test at the start; such attempts are left out of the statistics',
      deadline_at:
        'Time at which the attempt must end, without the grace period; null if the test has neither a time limit nor a last day',
      last_saved_at: 'Time of the last saved answer, or of the start',
      ended_at: 'Null, like `ended_by` and `passed`, while the attempt is open',
      score_percent:
        'From 0 to 100, rounded down; null while the attempt is open and once the score is deleted (`RESULTS_KEEP`)',
    },
  },
  attempt_questions: {
    columns: {
      slot: 'Index of the question in the attempt, from 0',
      places: 'Options, items or gaps in the order of this attempt, with ids of this attempt',
      seq: 'Sequence number that the client sent with the saved answer; 0 if never answered',
      answer: 'Answer of the learner; refers to the ids of `places`',
      spent_ms:
        'Milliseconds spent on the question. Each save of its answer adds the time since the previous save of any answer, or since the start of the attempt.',
      points: 'From 0 to 1; null while the attempt is open',
    },
  },
  question_sums: {
    table: 'Sums over the first attempts of persons, per question.',
    columns: {
      sums: '`QuestionSums` of src/domain/tests/statistics.ts',
      report: 'The report that editors see; null until enough persons have answered',
      checked_persons: 'Number of persons when the report was last checked for new counts',
    },
  },
  question_reports: {
    table: 'Counts that a report of a question has published. Later reports are compared with them.',
    columns: {
      cells: "`Counts['cells']` of src/domain/questions/publication.ts",
    },
  },
}
