import { Type } from '@sinclair/typebox'
import { type Scope, TOKEN_SCOPES } from '../../src/domain/accounts/scopes.js'
import { FormClientId, nullable, Timestamp, User } from '../../src/http/schemas.js'

export const LoginBody = Type.Object({
  username: Type.String({ description: 'Leading and trailing white space is removed.', examples: ['erika'] }),
  password: Type.String({ examples: ['vier zufällige Wörter'] }),
})

export const MethodsResponse = Type.Object({
  password: Type.Boolean(),
  passkeys: Type.Boolean(),
  oidc: Type.Unsafe<{ label: string } | null>({
    ...Type.Object({ label: Type.String({ description: 'Label of the login button.', examples: ['Firmenkonto'] }) }),
    type: ['object', 'null'],
    description: 'Single sign-on; null if it is not configured.',
  }),
  company: Type.Object({
    name: nullable(Type.String({ description: 'Null if `COMPANY_NAME` is not set.', examples: ['Muster GmbH'] })),
    logo: nullable(
      Type.String({
        description: 'URL relative to the address of the service; null without a logo. Another logo has another URL.',
        examples: ['api/auth/logo?v=5f2a8c1d0b7e4a96'],
      }),
    ),
  }),
})

export const LogoFile = Type.String({ format: 'binary', description: 'PNG or JPEG.' })

export const ConfirmLoginBody = Type.Object({ password: Type.String({ examples: ['vier zufällige Wörter'] }) })

export const PasswordBody = Type.Object({
  current_password: Type.String({ examples: ['vier zufällige Wörter'] }),
  new_password: Type.String({ description: '6 to 1,000 characters.', examples: ['ganz andere Wörter'] }),
})

const Roles = Type.Object(
  {
    author: Type.Boolean({ description: 'May create sources. Administrators are authors.' }),
    editor: Type.Boolean({ description: 'May edit at least one source.' }),
    lead: Type.Boolean({ description: 'Leads a team.' }),
    responsible: Type.Boolean({ description: 'Is responsible for an assignment.' }),
    tasks: Type.Boolean({ description: 'Has or had assignments.' }),
    auditor: Type.Boolean({ description: 'May read the states and certificates of all assignments today.' }),
    overseer: Type.Boolean({ description: 'May create assignments or see their state.' }),
  },
  { title: 'Roles', description: 'Operations to offer to the user. Each request is authorized separately.' },
)

export const LoggedIn = Type.Object({
  user: User,
  roles: Roles,
  must_change_password: Type.Boolean({
    description: `While true, every request of this user, by session or token, gets 403, except GET \`/api/auth/me\`,
POST \`/api/auth/logout\` and POST \`/api/auth/password\`, which resets it.`,
  }),
})

export const Me = Type.Object({
  ...LoggedIn.properties,
  sign_in: Type.Object({
    password: Type.Boolean({ description: 'Whether the account has a password.' }),
    passkeys: Type.Integer(),
    passkey_only: Type.Boolean({ description: 'Whether password logins are refused.' }),
    identities: Type.Integer({ description: 'Number of linked identities of the single sign-on provider.' }),
    emergency: Type.Boolean({ description: 'Whether password login is allowed while it is disabled for other users.' }),
    authenticated_at: nullable(Timestamp),
    is_fresh: Type.Boolean({
      description: 'Whether the login is less than ten minutes old, as operations that grant access require.',
    }),
  }),
})

const Token = {
  id: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['nightly import'] }),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  is_service: Type.Boolean({
    description: `Whether an administrator has marked the token as a service token, which works without a recent
confirmation of its owner by the provider (\`OIDC_RECHECK_DAYS\`).`,
  }),
  scopes: Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: TOKEN_SCOPES }), { examples: [['read', 'learn']] }),
}

export const ListedToken = Type.Object({ ...Token, last_used_at: nullable(Timestamp) })

export const TokenList = Type.Object({
  tokens: Type.Array(ListedToken),
})

export const CreateTokenBody = Type.Object({
  name: Type.String({ description: '1 to 200 characters after trimming.', examples: ['nightly import'] }),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_650,
      description: 'If absent, the token does not expire.',
      examples: [365],
    }),
  ),
  scopes: Type.Optional(
    Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: TOKEN_SCOPES }), {
      minItems: 1,
      description: `Restricts the token, in addition to the rights of its owner; if absent, the token has all scopes
except \`scim\`.
\`read\`: GET of quiz, decks, sheets, review, search and export. \`learn\`: other methods of quiz and review.
\`content\`: import and \`/api/content\`. \`admin\`: users, accounts, audit trail. Other operations need all four,
except \`GET /api/auth/me\` and deleting the token itself. \`scim\`: only \`/scim\` and deleting the token itself; alone
in a token, and only for administrators.`,
      examples: [['read', 'learn']],
    }),
  ),
  client_id: FormClientId,
})

export const TokenCreated = Type.Object({
  ...Token,
  token: Type.String({ description: 'For the header `Authorization: Bearer …`; returned only once.' }),
})

export const TokenParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })
