import { Type } from '@sinclair/typebox'
import { SCOPES, type Scope } from '../../src/domain/accounts/scopes.js'
import { nullable, Timestamp, User } from '../../src/http/schemas.js'

export const LoginBody = Type.Object({
  username: Type.String({ description: 'Trimmed.', examples: ['erika'] }),
  password: Type.String({ examples: ['vier zufällige Wörter'] }),
})

export const MethodsAnswer = Type.Object({
  password: Type.Boolean(),
  passkeys: Type.Boolean(),
  oidc: Type.Unsafe<{ label: string } | null>({
    ...Type.Object({ label: Type.String({ description: 'The text of the button.', examples: ['Firmenkonto'] }) }),
    type: ['object', 'null'],
    description: 'Single sign-on, if it is configured.',
  }),
})

export const ConfirmBody = Type.Object({ password: Type.String({ examples: ['vier zufällige Wörter'] }) })

export const PasswordBody = Type.Object({
  current_password: Type.String({ examples: ['vier zufällige Wörter'] }),
  new_password: Type.String({ description: '6 to 1,000 characters.', examples: ['ganz andere Wörter'] }),
})

export const LoggedIn = Type.Object({
  user: User,
  must_change_password: Type.Boolean({
    description: `While it is true every other request of this user, by session or token, is answered with 403, except
GET \`/api/auth/me\`, POST \`/api/auth/password\`, which ends it, and POST \`/api/auth/logout\`.`,
  }),
})

export const Me = Type.Object({
  ...LoggedIn.properties,
  sign_in: Type.Object({
    password: Type.Boolean({ description: 'Whether the account has one.' }),
    passkeys: Type.Integer(),
    passkey_only: Type.Boolean({ description: 'The password is refused.' }),
    identities: Type.Integer({ description: 'At the provider of single sign-on.' }),
    emergency: Type.Boolean({ description: 'May log in by password although that is switched off.' }),
    authenticated_at: nullable(Timestamp),
    is_fresh: Type.Boolean({ description: 'Less than ten minutes ago: what hands out access asks nothing more.' }),
  }),
})

const Token = {
  id: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['nightly import'] }),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  scopes: Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: SCOPES }), { examples: [['read', 'learn']] }),
}

export const TokenList = Type.Object({
  tokens: Type.Array(Type.Object({ ...Token, last_used_at: nullable(Timestamp) })),
})

export const CreateTokenBody = Type.Object({
  name: Type.String({ description: '1 to 200 characters after trimming.', examples: ['nightly import'] }),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_650,
      description: 'Without it the token never expires.',
      examples: [365],
    }),
  ),
  scopes: Type.Optional(
    Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: SCOPES }), {
      minItems: 1,
      description: `What the token may do, beside the rights of its owner; without it everything. \`read\`: GET of quiz,
decks, sheets, review, search and export. \`learn\`: other methods of quiz and review. \`content\`: import and
\`/api/content\`. \`admin\`: users, accounts, audit trail. Everything else that a token may do needs all four, except
\`GET /api/auth/me\` and that a token deletes itself.`,
      examples: [['read', 'learn']],
    }),
  ),
})

export const TokenCreated = Type.Object({
  ...Token,
  token: Type.String({ description: 'For the header `Authorization: Bearer …`; it is shown only this time.' }),
})

export const TokenParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })
