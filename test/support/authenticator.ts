import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** Flags of the authenticator's data (WebAuthn, 6.1). */
const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

interface Behaviour {
  /** Whether it asks for a finger or a PIN. */
  verifies?: boolean
  /** The page that asks. */
  origin?: string
  /** The page's claim of who it is, of which the authenticator keeps a hash. */
  rpId?: string
  /** What the counter says; by default one more than before. */
  counter?: number
  challenge?: string
  userHandle?: string
}

/**
 * An authenticator as programs know it: makes keys and signs, for stories that need no browser. Real browsers are asked
 * in `test/web/passkeys.test.ts`.
 */
export class Authenticator {
  readonly credentialId = randomBytes(32)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #counter = 0
  #userHandle = ''

  constructor(
    readonly origin: string,
    readonly rpId: string,
  ) {}

  get id(): string {
    return text(this.credentialId)
  }

  /** Answers the options of a registration. */
  register(options: { challenge: string; user: { id: string } }, behaviour: Behaviour = {}) {
    this.#userHandle = options.user.id
    const id = this.credentialId
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(this.#keys.publicKey)])
    const data = Buffer.concat([this.#data(behaviour, WITH_CREDENTIAL), credential])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(data)],
    ])
    return {
      ...this.#identity(),
      response: {
        clientDataJSON: text(this.#client('webauthn.create', options.challenge, behaviour)),
        attestationObject: text(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0])),
        transports: ['internal'],
      },
    }
  }

  /** Answers the options of a login. */
  logIn(options: { challenge: string }, behaviour: Behaviour = {}) {
    const client = this.#client('webauthn.get', options.challenge, behaviour)
    const data = this.#data(behaviour)
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey)
    return {
      ...this.#identity(),
      response: {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(signature),
        userHandle: behaviour.userHandle ?? this.#userHandle,
      },
    }
  }

  #identity() {
    return { id: this.id, rawId: this.id, type: 'public-key' as const, clientExtensionResults: {} }
  }

  #client(type: string, challenge: string, { origin = this.origin, challenge: other = challenge }: Behaviour): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge: other, origin, crossOrigin: false }))
  }

  #data({ verifies = true, rpId = this.rpId, counter = this.#counter + 1 }: Behaviour, more = 0): Buffer {
    this.#counter = counter
    const data = Buffer.alloc(37)
    sha256(rpId).copy(data)
    data.writeUInt8(PRESENT | (verifies ? VERIFIED : 0) | more, 32)
    data.writeUInt32BE(counter, 33)
    return data
  }
}

/** The public key as COSE writes it: EC2, ES256, P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
  return Buffer.from(isoCBOR.encode(cose))
}
