import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  deletePasskeys,
  insertChallenge,
  insertPasskey,
  listCredentials,
  lockLoginMethods,
  type OwnPasskey,
  setPasskeyOnly,
  takeChallenge,
} from '../../../db/queries/accounts/passkeys.js'
import { lockSession } from '../../../db/queries/accounts/sessions.js'
import type { Account } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import {
  CHALLENGE_MINUTES,
  createChallenge,
  createUserHandle,
  MAX_CREDENTIAL_ID,
  MAX_OPEN_REGISTRATIONS,
  MAX_PASSKEYS,
  type RelyingParty,
  readClientData,
} from '../../domain/accounts/passkeys.js'
import {
  EMERGENCY_BY_PASSWORD,
  LAST_PASSKEY,
  NOT_LOGGED_IN,
  PASSKEY_INVALID,
  PASSKEY_KNOWN,
  PASSKEY_NEEDED,
  TOO_MANY_PASSKEYS,
} from '../../domain/accounts/refusals.js'
import { countIdentities, countLoginMethods, type OfferedMethods } from '../../domain/sign-in/login-methods.js'
import { LAST_LOGIN_METHOD } from '../../domain/sign-in/refusals.js'
import { importWebauthn } from './webauthn.js'

const NAME = 'Training'

/** A well-formed but wrong ECDSA signature in DER (r = s = 1), for testing whether a key can be used */
const EMPTY_SIGNATURE = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1)

/** Receives the reason of a refusal for the log; the response does not contain it. */
export type OnRefused = (reason: string, details?: object) => void

/** Stores a challenge and returns the options for registering a discoverable passkey with user verification. */
export async function beginRegistration(
  db: Kysely<Database>,
  { id: rpID }: RelyingParty,
  user: Account,
  network: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listCredentials(db, user.id)
  const user_handle = known[0]?.user_handle ?? createUserHandle()
  const challenge = createChallenge()
  const limit = { minutes: CHALLENGE_MINUTES, most: MAX_OPEN_REGISTRATIONS }
  await insertChallenge(db, { challenge, purpose: 'register', user_id: user.id, user_handle, network }, limit)
  const { generateRegistrationOptions } = await importWebauthn()
  return generateRegistrationOptions({
    rpName: NAME,
    rpID,
    userName: user.username,
    userDisplayName: user.display_name,
    userID: new Uint8Array(user_handle),
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_MINUTES * 60_000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: credential_id.toString('base64url'),
      transports,
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export interface NewPasskey {
  name: string
  credential: RegistrationResponseJSON
  sessionId: number
}

/**
 * Verifies and stores a new passkey. Adds an audit entry if the user is an administrator.
 * @throws PASSKEY_INVALID if the challenge is unknown or belongs to another user, the response comes from a frame of
 * another origin, or the response or its key is invalid
 * @throws PASSKEY_KNOWN if the passkey is already registered
 * @throws TOO_MANY_PASSKEYS if the user already has the maximum number of passkeys
 * @throws NOT_LOGGED_IN if the session has ended
 */
export async function finishRegistration(
  db: Kysely<Database>,
  actor: Actor,
  { party, user, onRefused }: { party: RelyingParty; user: Account; onRefused: OnRefused },
  { name, credential, sessionId }: NewPasskey,
): Promise<OwnPasskey> {
  const { challenge, isFramed } = readClientData(credential.response.clientDataJSON) ?? {}
  const taken = challenge && (await takeChallenge(db, challenge, 'register'))
  if (taken === undefined || taken.user_id !== user.id || taken.user_handle === null) {
    onRefused('no such challenge')
    throw PASSKEY_INVALID
  }
  if (isFramed) {
    onRefused('in a frame of another origin')
    throw PASSKEY_INVALID
  }
  const { verifyRegistrationResponse } = await importWebauthn()
  const made = await verifyRegistrationResponse({
    response: credential,
    expectedChallenge: (challenge as Buffer).toString('base64url'),
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch((error: Error) => onRefused(error.message))
  if (!made?.verified) throw PASSKEY_INVALID
  const { id, publicKey, counter, transports = [] } = made.registrationInfo.credential
  const credentialId = Buffer.from(id, 'base64url')
  const fault =
    id !== credential.id || credentialId.length > MAX_CREDENTIAL_ID ? 'another id' : await findKeyFault(publicKey)
  if (fault !== undefined) {
    onRefused(fault)
    throw PASSKEY_INVALID
  }
  const row = {
    user_id: user.id,
    name,
    credential_id: credentialId,
    public_key: Buffer.from(publicKey),
    user_handle: taken.user_handle,
    counter,
    transports,
    backed_up: made.registrationInfo.credentialBackedUp,
  }
  return db.transaction().execute(async (transaction) => {
    if (!(await lockSession(transaction, user.id, sessionId))) throw NOT_LOGGED_IN
    if ((await listCredentials(transaction, user.id)).length >= MAX_PASSKEYS) throw TOO_MANY_PASSKEYS
    const passkey = await insertPasskey(transaction, row)
    if (passkey === undefined) throw PASSKEY_KNOWN
    if (user.is_admin) {
      await insertAuditEntry(transaction, actor, { action: 'passkey.create', target_id: passkey.id, target: name })
    }
    return passkey
  })
}

/**
 * Returns why the public key cannot verify any login, for example because its point is not on the curve; undefined if
 * the key can be used.
 */
async function findKeyFault(publicKey: Uint8Array): Promise<string | undefined> {
  const { isoCBOR, isoCrypto } = await import('@simplewebauthn/server/helpers')
  const cosePublicKey = isoCBOR.decodeFirst<Parameters<typeof isoCrypto.verify>[0]['cosePublicKey']>(publicKey.slice())
  // Verifying a wrong signature returns false; an unusable key throws.
  const data = new Uint8Array(64)
  try {
    await isoCrypto.verify({ cosePublicKey, signature: EMPTY_SIGNATURE.slice(), data })
    return undefined
  } catch (error) {
    return `the key cannot be used: ${(error as Error).message}`
  }
}

/**
 * Deletes a passkey of the user, if it exists. Adds an audit entry if the user is an administrator.
 * @throws LAST_PASSKEY if it is the only passkey and the account is limited to passkeys
 * @throws LAST_LOGIN_METHOD if no other login method remains
 */
export async function removePasskey(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  id: number,
  offered: OfferedMethods,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ways = await lockLoginMethods(transaction, user.id)
    if (!ways?.passkeys.includes(id)) return
    if (ways.passkeys.length === 1) {
      if (ways.passkey_only) throw LAST_PASSKEY
      const identities = countIdentities(ways.issuers, offered.oidc)
      if (countLoginMethods({ ...ways, passkeys: 0, identities }, offered) === 0) throw LAST_LOGIN_METHOD
    }
    await deletePasskeys(transaction, user.id, id)
    if (user.is_admin) await insertAuditEntry(transaction, actor, { action: 'passkey.delete', target_id: id })
  })
}

/**
 * Restricts the account to passkeys or lifts the restriction; does nothing if the setting stays the same. Adds an audit
 * entry if the user is an administrator.
 * @throws PASSKEY_NEEDED if an account without a passkey would be restricted
 * @throws EMERGENCY_BY_PASSWORD if an emergency account would be restricted while password login is off
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function choosePasskeyOnly(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  passkeyOnly: boolean,
  offered: Pick<OfferedMethods, 'password'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ways = await lockLoginMethods(transaction, user.id)
    if (ways === undefined) throw NOT_LOGGED_IN
    if (ways.passkey_only === passkeyOnly) return
    if (passkeyOnly && ways.passkeys.length === 0) throw PASSKEY_NEEDED
    if (passkeyOnly && ways.emergency && !offered.password) throw EMERGENCY_BY_PASSWORD
    await setPasskeyOnly(transaction, user.id, passkeyOnly)
    if (!user.is_admin) return
    const details = { fields: ['passkey_only'], passkey_only: passkeyOnly }
    await insertAuditEntry(transaction, actor, {
      action: 'user.update',
      target_id: user.id,
      target: user.username,
      details,
    })
  })
}
