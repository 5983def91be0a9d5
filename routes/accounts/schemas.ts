import { Type } from '@sinclair/typebox'
import { ACCOUNT_KEYS } from '../../db/queries/accounts/list.js'
import { TEAM_ROLES, type TeamRole } from '../../src/domain/teams/teams.js'
import { LANGUAGES, type Language } from '../../src/domain/text/language.js'
import {
  choiceOr,
  clamped,
  Deleted,
  NEXT_OF_NEWEST_FIRST,
  NextChange,
  NextChangedSince,
  newestFirst,
  onlyWithChanges,
  pageOrChanges,
  ranged,
} from '../../src/http/query.js'
import { nullable, optional, Timestamp, User } from '../../src/http/schemas.js'

export const AccountParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['7'] }) })

/** Account fields that `User` does not contain */
export const state = {
  is_author: Type.Boolean({ description: 'May write content: create sources and edit those as their editor.' }),
  is_auditor: Type.Boolean({ description: 'May read the states and certificates of all assignments.' }),
  auditor_until: nullable(
    Type.String({
      format: 'date',
      description:
        'Last day, in the time zone of the service, on which the user is an auditor; null if there is no end.',
      examples: ['2026-12-04'],
    }),
  ),
  must_change_password: Type.Boolean({ description: 'A new password is required before any other request.' }),
  last_seen_on: nullable(
    Type.String({
      format: 'date',
      description: 'Last day on which the user was active, in the time zone of the service; null if never.',
      examples: ['2026-11-21'],
    }),
  ),
  disabled_on: nullable(
    Type.String({
      format: 'date',
      description: 'First day, in the time zone of the service, on which the account is disabled; null if none is set.',
      examples: ['2026-12-31'],
    }),
  ),
}

export const address = {
  email: nullable(Type.String({ examples: ['erika@example.org'] })),
  email_confirmed_at: nullable({
    ...Timestamp,
    description: 'Time at which the user confirmed the address; null if an administrator or the provider set it.',
  }),
}

export const PersonnelNumber = nullable(
  Type.String({ description: 'Number of the person in the company; unique.', examples: ['00417'] }),
)

export const ExternalId = nullable(
  Type.String({ description: 'Id in the system that manages the accounts; unique.', examples: ['P-417'] }),
)

export const ExternalIdParams = Type.Object({
  external_id: Type.String({
    description: '1 to 128 characters after trimming, percent-encoded; upper and lower case differ.',
    examples: ['P-417'],
  }),
})

export const ExtraTime = Type.Integer({
  minimum: 0,
  maximum: 300,
  description: 'Additional time for tests, in percent of the time limit.',
  examples: [25],
})

const AccountWithState = Type.Object(
  {
    ...User.properties,
    ...state,
    extra_time_percent: ExtraTime,
    ...address,
    personnel_number: PersonnelNumber,
    external_id: ExternalId,
    sign_in: Type.Object({
      password: Type.Boolean({ description: 'Whether the account has a password.' }),
      passkeys: Type.Integer(),
      passkey_only: Type.Boolean({ description: 'Whether the user has disabled password logins.' }),
      oidc: Type.Boolean({ description: 'Whether an identity of the single sign-on provider is linked.' }),
      emergency: Type.Boolean({
        description: 'Whether password login is allowed while it is disabled for other users.',
      }),
      link_next_login: Type.Boolean({
        description: 'Whether the next login through the provider may link the account.',
      }),
    }),
  },
  { title: 'Account' },
)

export const AccountResponse = Type.Object({ user: User })

export const OwnLanguage = Type.Unsafe<Language | null>({
  type: ['string', 'null'],
  enum: [...LANGUAGES, null],
  description: 'Language of the app; null for that of the browser (`Accept-Language`).',
  examples: ['en'],
})

export const OwnAccountResponse = Type.Object({ user: User, language: OwnLanguage })

const EndingTokens = Type.Optional(
  Type.Array(
    Type.Object({ id: Type.Integer({ examples: [3] }), name: Type.String({ examples: ['nightly import'] }) }),
    {
      description: `With a day in \`disabled_on\`: the service tokens of the account and those of the scope \`scim\`, which end
on this day.`,
    },
  ),
)

export const ChangedAccountResponse = Type.Object({ user: User, service_tokens: EndingTokens })

export const MarkTokenBody = Type.Object({ is_service: Type.Boolean({ examples: [true] }) })

export const AccountWithStateResponse = Type.Object({
  user: AccountWithState,
  teams: Type.Array(
    Type.Object({
      id: Type.Integer({ examples: [3] }),
      name: Type.String({ examples: ['Werkstatt'] }),
      role: Type.Unsafe<TeamRole>({ type: 'string', enum: [...TEAM_ROLES] }),
    }),
    { description: 'Current teams of the user.' },
  ),
})

const DisplayName = optional('1 to 200 characters after trimming.', 'Erika Muster')

export const ChangeAccountBody = Type.Object({
  display_name: DisplayName,
  is_admin: Type.Optional(Type.Boolean()),
  is_author: Type.Optional(Type.Boolean({ description: 'Whether the user may create sources and edit those.' })),
  is_auditor: Type.Optional(
    Type.Boolean({
      description:
        'Whether the user may read the states and certificates of all assignments. False removes the last day.',
    }),
  ),
  auditor_until: Type.Optional(
    nullable(
      Type.String({
        description: `Last day, as \`YYYY-MM-DD\` in the time zone of the service, on which the user is an auditor; null for
no end. Applies only with \`is_auditor\`.`,
        examples: ['2026-12-04'],
      }),
    ),
  ),
  password: Type.Optional(
    Type.String({
      description: "6 to 1,000 characters; ends the user's sessions and API tokens. Not for the caller's account.",
      examples: ['vier zufällige Wörter'],
    }),
  ),
  must_change_password: Type.Optional(
    Type.Boolean({ description: 'Whether the user must change the password before any other request.' }),
  ),
  link_next_login: Type.Optional(
    Type.Boolean({
      description: `Whether the next login through the provider with this user name is linked with the account. It
resets to \`false\` afterwards.`,
    }),
  ),
  extra_time_percent: Type.Optional(ExtraTime),
  disabled_on: Type.Optional(
    nullable(
      Type.String({
        description: `First day, as \`YYYY-MM-DD\` in the time zone of the service, on which the account is disabled: no
login, session or token of it is valid then. Today or an earlier day ends its sessions and tokens at once. Null
enables the account again, but ended sessions and tokens stay invalid.`,
        examples: ['2026-12-31'],
      }),
    ),
  ),
  email: Type.Optional(
    nullable(
      Type.String({
        description: 'At most 254 characters; several users may share an address. Null removes it.',
        examples: ['erika@example.org'],
      }),
    ),
  ),
  personnel_number: Type.Optional(
    nullable(
      Type.String({
        description: `1 to 40 characters after trimming, unique among all users. Null removes it. Certificates that were
issued before keep the number that they have.`,
        examples: ['00417'],
      }),
    ),
  ),
  external_id: Type.Optional(
    nullable(
      Type.String({
        description: `Id in the system that manages the accounts: 1 to 128 characters after trimming, unique among all
users; upper and lower case differ. Null removes it.`,
        examples: ['P-417'],
      }),
    ),
  ),
})

export const PutAccountBody = Type.Object({
  username: optional(
    '1 to 200 characters after trimming. Required for a new account; renames an existing one.',
    'erika',
  ),
  ...Type.Omit(ChangeAccountBody, ['password', 'must_change_password', 'link_next_login', 'external_id']).properties,
  display_name: optional('1 to 200 characters after trimming. New accounts: default the user name.', 'Erika Muster'),
  password: optional('Only for a new account: 6 to 1,000 characters; generated if absent.', 'vier zufällige Wörter'),
  must_change_password: Type.Optional(Type.Boolean({ description: 'Only for a new account; default: `true`.' })),
})

export const PutAccountResponse = Type.Object({
  user: AccountWithState,
  password: nullable(
    Type.String({
      description: 'Generated password of a new account, returned only once; null if none was generated.',
      examples: ['k7mf-3xqv-9dtw-2hcr'],
    }),
  ),
  service_tokens: EndingTokens,
})

export const ChangeOwnAccountBody = Type.Object({
  display_name: DisplayName,
  passkey_only: Type.Optional(
    Type.Boolean({
      description: `Whether password logins are refused; needs a passkey and a session. A new password from an
administrator resets it.`,
    }),
  ),
  language: Type.Optional(OwnLanguage),
})

export const Session = {
  id: Type.Integer(),
  address: nullable(Type.String({ description: 'IP address of the login.' })),
  user_agent: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Timestamp,
}

export const SessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({ ...Session, current: Type.Boolean({ description: 'Whether it is the session of this request.' }) }),
  ),
})

export const AccessParams = Type.Object({
  id: Type.String({ description: 'Id of the user, decimal digits.', examples: ['7'] }),
  rowId: Type.String({ description: 'Id of the session or token, decimal digits.', examples: ['12'] }),
})

export const SessionParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['12'] }) })

const paging = pageOrChanges({ maximum: 200, fallback: 50 })

export const AccountsQuery = Type.Object({
  q: optional('Part of the user name, display name or personnel number, case-insensitive.', 'erika'),
  sort: choiceOr(ACCOUNT_KEYS, 'username', 'Column that the users are sorted by.'),
  order: choiceOr(['asc', 'desc'], 'asc', 'Direction.'),
  offset: clamped({ minimum: 0, maximum: 2 ** 31 - 1, fallback: 0 }, 'Number of users to skip. '),
  ...paging,
  after: onlyWithChanges(paging.after),
})

export const AccountList = Type.Object({
  users: Type.Array(Type.Union([AccountWithState, Deleted])),
  total: Type.Integer({ description: 'Number of users on all pages.', examples: [30] }),
  next_after: NextChange,
  next_changed_since: NextChangedSince,
})

const Privacy = Type.Object(
  {
    session_max_days: Type.Integer({ examples: [30] }),
    statistics_min_persons: Type.Integer({ examples: [5] }),
    answers_keep_days: Type.Integer({ examples: [90] }),
    results_keep: Type.Unsafe<'all' | 'passed'>({ type: 'string', enum: ['all', 'passed'] }),
  },
  { description: 'Settings for the retention and visibility of personal data.' },
)

export const PrivacySettings = Type.Object({ privacy: Privacy })

export const ServiceState = Type.Object({
  version: Type.String({ examples: ['0.1.0'] }),
  started_at: Timestamp,
  database: Type.Object({
    kind: Type.Unsafe<'embedded' | 'postgresql'>({ type: 'string', enum: ['embedded', 'postgresql'] }),
    version: Type.String({ examples: ['17.5'] }),
    size_bytes: Type.Integer({ examples: [48_000_000] }),
  }),
  users: Type.Integer({ examples: [30] }),
  learners: Type.Integer({ description: 'Users with at least one review.', examples: [28] }),
  time_zone: Type.String({ description: 'Time zone of calendar days.', examples: ['Europe/Berlin'] }),
  simulated_date: nullable(
    Type.String({
      format: 'date',
      description: 'Simulated date at the start of the service; null in normal operation.',
    }),
  ),
  privacy: Privacy,
  mail: Type.Object({
    configured: Type.Boolean({ description: 'Whether a mail server is configured.' }),
    failed: Type.Integer({ description: 'Mails of the last 7 days that were not accepted.', examples: [0] }),
    unknown: Type.Integer({ description: 'Mails of the last 7 days that may not have arrived.', examples: [0] }),
  }),
  webhooks: Type.Object({
    paused: Type.Integer({
      description: 'Webhooks that were paused after failing for a day, or by the restore of a backup.',
      examples: [0],
    }),
  }),
  can_fit: Type.Boolean({
    description: 'Whether this platform can fit intervals to learners; otherwise the defaults apply to new learners.',
  }),
  jobs: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['fit'] }),
      finished_at: nullable(Timestamp),
      summary: Type.Unsafe<unknown>({ description: 'Figures of the last complete run; null before the first one.' }),
    }),
    { description: 'Recurring jobs of the service, with their last run.' },
  ),
})

export const AuditQuery = Type.Object({
  action: optional('Only entries of this action.', 'user.create'),
  actor: optional('Only entries of this user name.', 'chef'),
  ...newestFirst({ maximum: 1_000, fallback: 100, cursor: 'int64' }),
  limit: ranged({ minimum: 1, maximum: 1_000, fallback: 100 }),
})

export const AuditList = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Timestamp,
      actor_id: nullable(Type.Integer()),
      actor: Type.String({ description: 'User name at that time.' }),
      via: Type.String({
        description: '`session`, `token`, `cli`, `oidc` or `scim`; with `scim`, `actor` is the name of the token.',
      }),
      address: nullable(Type.String()),
      action: Type.String(),
      target_id: nullable(Type.Integer()),
      target: nullable(Type.String()),
      details: Type.Unknown(),
    }),
  ),
  next_after: NEXT_OF_NEWEST_FIRST.next_after,
})

export const AccessesQuery = Type.Object({
  ...newestFirst({ maximum: 100, fallback: 20, cursor: 'int32' }),
})

export const AccessList = Type.Object({
  accesses: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Timestamp,
      kind: Type.Unsafe<'view' | 'export'>({
        type: 'string',
        enum: ['view', 'export'],
        description:
          '`view`: state of persons in an assignment, or proofs; `export`: a table or file for a stated purpose.',
      }),
      actor: Type.String({ description: 'Name of the person who viewed or exported.', examples: ['Ada Chef'] }),
      title: nullable(
        Type.String({
          description: 'Title of the assignment; null for proofs of several assignments.',
          examples: ['Brandschutz'],
        }),
      ),
      purpose: nullable(
        Type.String({ description: 'Purpose of the export; null for a view.', examples: ['Audit ISO 27001, 2026'] }),
      ),
    }),
  ),
  ...NEXT_OF_NEWEST_FIRST,
})
