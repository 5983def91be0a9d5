import { Type } from '@sinclair/typebox'
import { ACCOUNT_KEYS } from '../../db/queries/accounts/list.js'
import { nullable, optional, Timestamp, User } from '../../src/http/schemas.js'

export const AccountParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['7'] }) })

/** What is kept about an account besides. */
export const state = {
  must_change_password: Type.Boolean({ description: 'Before anything else.' }),
  last_seen_on: nullable(
    Type.String({
      format: 'date',
      description: 'In the time zone of the service; null when never.',
      examples: ['2026-11-21'],
    }),
  ),
}

/** A user with what is kept about the account besides. */
const AccountWithState = Type.Object(
  {
    ...User.properties,
    ...state,
    sign_in: Type.Object({
      password: Type.Boolean({ description: 'Whether there is one.' }),
      passkeys: Type.Integer(),
      passkey_only: Type.Boolean({ description: 'The user has chosen that the password is refused.' }),
      oidc: Type.Boolean({ description: 'Known to the provider of single sign-on.' }),
      emergency: Type.Boolean({ description: 'May log in by password although that is switched off.' }),
      link_next_login: Type.Boolean({ description: 'A login by the provider may take the account over, once.' }),
    }),
  },
  { title: 'Account' },
)

export const AccountAnswer = Type.Object({ user: User })

export const AccountWithStateAnswer = Type.Object({ user: AccountWithState })

const DisplayName = optional('1 to 200 characters after trimming.', 'Erika Muster')

export const ChangeAccountBody = Type.Object({
  display_name: DisplayName,
  is_admin: Type.Optional(Type.Boolean()),
  password: Type.Optional(
    Type.String({
      description: "6 to 1,000 characters; ends the user's sessions and API tokens. Not for the own account.",
      examples: ['vier zufällige Wörter'],
    }),
  ),
  must_change_password: Type.Optional(
    Type.Boolean({ description: 'Whether the user must choose another password before anything else.' }),
  ),
  link_next_login: Type.Optional(
    Type.Boolean({
      description: `Whether a person whom the provider calls by this user name becomes the user at the next login by it.
Once; then it is \`false\` again.`,
    }),
  ),
})

export const ChangeOwnAccountBody = Type.Object({
  display_name: DisplayName,
  passkey_only: Type.Optional(
    Type.Boolean({
      description: `Whether the password is refused from now on; needs a passkey, and no token may change it. Another
password of an administrator ends it.`,
    }),
  ),
})

export const Session = {
  id: Type.Integer(),
  address: nullable(Type.String({ description: 'Where the login came from.' })),
  user_agent: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Timestamp,
}

export const SessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({ ...Session, current: Type.Boolean({ description: 'The session of this request.' }) }),
  ),
})

export const AccessParams = Type.Object({
  id: Type.String({ description: 'Of the user; decimal digits.', examples: ['7'] }),
  rowId: Type.String({ description: 'Of the session or token; decimal digits.', examples: ['12'] }),
})

export const SessionParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['12'] }) })

export const AccountsQuery = Type.Object({
  q: optional('A part of the user name or of the display name, in any case.', 'erika'),
  sort: optional(`One of \`${ACCOUNT_KEYS.join('`, `')}\`; \`username\` when absent.`, 'last_seen_on'),
  order: optional('`asc` or `desc`; `asc` when absent.', 'desc'),
  limit: optional('1 to 200, 50 when absent; numbers beyond are cut.', '20'),
  offset: optional('How many to skip.', '50'),
})

export const AccountList = Type.Object({
  users: Type.Array(AccountWithState),
  total: Type.Integer({ description: 'On all pages.', examples: [30] }),
})

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
  time_zone: Type.String({ description: 'Whose days count.', examples: ['Europe/Berlin'] }),
})

export const AuditQuery = Type.Object({
  action: optional('Only entries of this action.', 'user.create'),
  actor: optional('Only what was done under this user name.', 'chef'),
  before: optional('Only entries with a lower id: of a page the last one leads to the next.', '120'),
  limit: Type.Optional(
    Type.String({ pattern: '^(1000|[1-9][0-9]{0,2})$', description: '1 to 1,000; default 100.', examples: ['20'] }),
  ),
})

export const AuditList = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Timestamp,
      actor_id: nullable(Type.Integer()),
      actor: Type.String({ description: 'The name at that time.' }),
      via: Type.String({ description: '`session`, `token` or `cli`.' }),
      address: nullable(Type.String()),
      action: Type.String(),
      target_id: nullable(Type.Integer()),
      target: nullable(Type.String()),
      details: Type.Unknown(),
    }),
  ),
})
