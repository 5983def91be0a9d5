import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** Flags of the authenticator data (WebAuthn, 6.1) */
const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

interface Behaviour {
  /** Whether the authenticator verifies the user by biometrics or PIN; default: true */
  verifies?: boolean
  origin?: string
  /** Relying party id; the authenticator data contain its hash */
  rpId?: string
  /** Signature counter; default: incremented */
  counter?: number
  challenge?: string
  userHandle?: string
  /** `crossOrigin` of the client data */
  crossOrigin?: boolean
  /** Credential id in the authenticator data of a registration, if it differs from the one in the response */
  innerId?: Buffer
  /** y coordinate that replaces that of the public key */
  y?: Buffer
}

/** A software authenticator with one key pair, for tests without a browser */
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

  register(options: { challenge: string; user: { id: string } }, behaviour: Behaviour = {}) {
    this.#userHandle = options.user.id
    const id = behaviour.innerId ?? this.credentialId
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(this.#keys.publicKey, behaviour.y)])
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

  #client(type: string, asked: string, { origin = this.origin, challenge = asked, ...more }: Behaviour): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: more.crossOrigin ?? false }))
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

/** Encodes the public key as COSE: EC2, ES256, P-256. */
function coseKey(key: KeyObject, otherY?: Buffer): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(otherY ?? Buffer.from(y, 'base64url'))],
  ])
  return Buffer.from(isoCBOR.encode(cose))
}
