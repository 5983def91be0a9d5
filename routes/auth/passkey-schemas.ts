import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/http/schemas.js'

/** Maximum length of a credential id in characters: 1,023 bytes (WebAuthn) as base64url */
const MAX_ID_LENGTH = 1_364
const MAX_TRANSPORTS = 10

const Base64Url = Type.String({ description: 'Base64url.' })

const Passkey = Type.Object(
  {
    id: Type.Integer({ examples: [3] }),
    name: Type.String({ examples: ['Telefon'] }),
    backed_up: Type.Boolean({ description: 'Whether it is stored in more than one place.' }),
    created_at: Timestamp,
    last_used_at: nullable(Timestamp),
  },
  { title: 'Passkey' },
)

export const PasskeyResponse = Passkey

export const PasskeyList = Type.Object({ passkeys: Type.Array(Passkey) })

export const CreationOptions = Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>({
  ...Type.Object({
    challenge: Base64Url,
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Base64Url, name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
  }),
  additionalProperties: true,
  description: '`PublicKeyCredentialCreationOptionsJSON` of WebAuthn, for `navigator.credentials.create`.',
})

export const RequestOptions = Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>({
  ...Type.Object({ challenge: Base64Url }),
  additionalProperties: true,
  description: '`PublicKeyCredentialRequestOptionsJSON` of WebAuthn, for `navigator.credentials.get`.',
})

/** Transport of a passkey; not an enum, because browsers may send values that are not standardised yet. */
const Transport = Type.String({ pattern: '^[A-Za-z0-9_-]{1,50}$', examples: ['internal'] })

const identity = {
  id: Type.String({ maxLength: MAX_ID_LENGTH, description: 'Base64url.' }),
  rawId: Type.String({ maxLength: MAX_ID_LENGTH, description: 'Base64url.' }),
  type: Type.String({ examples: ['public-key'] }),
}

export const RegisterBody = Type.Object({
  name: Type.String({ description: '1 to 200 characters after trimming.', examples: ['Telefon'] }),
  credential: Type.Unsafe<RegistrationResponseJSON>(
    Type.Object(
      {
        ...identity,
        response: Type.Object({
          clientDataJSON: Base64Url,
          attestationObject: Base64Url,
          transports: Type.Optional(Type.Array(Transport, { maxItems: MAX_TRANSPORTS })),
        }),
      },
      { description: '`RegistrationResponseJSON` of WebAuthn.' },
    ),
  ),
})

export const PasskeyLoginBody = Type.Object({
  credential: Type.Unsafe<AuthenticationResponseJSON>(
    Type.Object(
      {
        ...identity,
        response: Type.Object({
          clientDataJSON: Base64Url,
          authenticatorData: Base64Url,
          signature: Base64Url,
          userHandle: Type.Optional(nullable(Base64Url)),
        }),
      },
      { description: '`AuthenticationResponseJSON` of WebAuthn.' },
    ),
  ),
})

export const PasskeyParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })
