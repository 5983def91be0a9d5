import { Type } from '@sinclair/typebox'
import { nullable, optional, Timestamp } from '../../../src/http/schemas.js'

export const StartQuery = Type.Object({
  weiter: optional(
    'Where to go afterwards: a path below the address of the app; the start page for anything else.',
    '/decks/git',
  ),
  link: optional(
    '`true` links the person of the provider with the own account; needs a login younger than ten minutes.',
    'true',
  ),
  confirm: optional('`true` lets whoever is logged in prove again who it is: the provider asks anew.', 'true'),
})

export const CallbackQuery = Type.Object({
  state: optional('Of the sign-in that has begun.', 'kq3vF0…'),
  code: optional('What the service gets the tokens for.', 'w8Zp1R…'),
  iss: optional('The provider.', 'https://login.example.org'),
  error: optional('Why the provider refuses.', 'access_denied'),
})

export const IdentityParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })

export const IdentityList = Type.Object({
  identities: Type.Array(
    Type.Object({
      id: Type.Integer({ examples: [3] }),
      issuer: Type.String({ description: 'The provider.', examples: ['https://login.example.org'] }),
      subject: Type.String({ description: 'What it calls the person.', examples: ['248289761001'] }),
      created_at: Timestamp,
      last_used_at: nullable(Timestamp),
    }),
  ),
})

export const LogoutAnswer = Type.Object({
  ok: Type.Literal(true, { examples: [true] }),
  redirect: nullable(
    Type.String({
      description: 'Where the browser goes to end the session of the provider; null when there is none to end.',
      examples: ['https://login.example.org/logout?client_id=training'],
    }),
  ),
})

export const LogoutTokenBody = Type.Object({ logout_token: Type.String({ description: 'Signed by the provider.' }) })
