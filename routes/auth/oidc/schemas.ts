import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../../src/http/schemas.js'

const flag = (description: string) => Type.Optional(Type.String({ description, examples: ['true'] }))

export const StartQuery = Type.Object({
  weiter: Type.Optional(
    Type.String({
      description: 'Where to go afterwards: a path below the address of the app; the start page for anything else.',
      examples: ['/decks/git'],
    }),
  ),
  link: flag('`true` links the person of the provider with the own account; needs a login younger than ten minutes.'),
  confirm: flag('`true` lets whoever is logged in prove again who it is: the provider asks anew.'),
})

const given = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }))

export const CallbackQuery = Type.Object({
  state: given('Of the sign-in that has begun.', 'kq3vF0…'),
  code: given('What the service gets the tokens for.', 'w8Zp1R…'),
  iss: given('The provider.', 'https://login.example.org'),
  error: given('Why the provider refuses.', 'access_denied'),
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
