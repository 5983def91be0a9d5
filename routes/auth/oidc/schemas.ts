import { Type } from '@sinclair/typebox'
import { flag } from '../../../src/http/query.js'
import { nullable, optional, Timestamp } from '../../../src/http/schemas.js'

export const StartQuery = Type.Object({
  weiter: optional(
    'Path below the address of the app to redirect to afterwards; other values redirect to the start page.',
    '/decks/git',
  ),
  link: flag('`true` is refused: linking starts with `POST /api/auth/oidc/link`.'),
  confirm: flag('Confirms the login of the current user: the provider authenticates again.'),
})

export const CallbackQuery = Type.Object({
  state: optional('State of the started sign-in.', 'kq3vF0…'),
  code: optional('Authorization code.', 'w8Zp1R…'),
  iss: optional('The provider.', 'https://login.example.org'),
  error: optional('Error code of the provider.', 'access_denied'),
})

export const IdentityParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })

export const IdentityList = Type.Object({
  identities: Type.Array(
    Type.Object({
      id: Type.Integer({ examples: [3] }),
      issuer: Type.String({ description: 'The provider.', examples: ['https://login.example.org'] }),
      subject: Type.String({ description: "The provider's id of the person.", examples: ['248289761001'] }),
      created_at: Timestamp,
      last_used_at: nullable(Timestamp),
    }),
  ),
})

export const LinkStart = Type.Object({
  redirect: Type.String({
    description: 'Address of the provider to open in the browser.',
    examples: ['https://login.example.org/auth?client_id=training'],
  }),
})

export const PendingLinkResponse = Type.Object({
  identity: nullable(
    Type.Object({
      issuer: Type.String({ description: 'The provider.', examples: ['https://login.example.org'] }),
      subject: Type.String({ description: "The provider's id of the person.", examples: ['248289761001'] }),
      name: Type.String({ description: 'Display name of the identity.', examples: ['erika@firma'] }),
    }),
  ),
})

export const LinkBody = Type.Object({
  subject: Type.String({ description: 'Subject of the waiting identity.', examples: ['248289761001'] }),
})

export const LogoutResponse = Type.Object({
  ok: Type.Literal(true, { examples: [true] }),
  redirect: nullable(
    Type.String({
      description: 'Address that ends the session at the provider; null if there is no such session.',
      examples: ['https://login.example.org/logout?client_id=training'],
    }),
  ),
})

export const LogoutTokenBody = Type.Object({ logout_token: Type.String({ description: 'Signed by the provider.' }) })
