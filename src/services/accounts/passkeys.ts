import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  deletePasskeys,
  insertChallenge,
  insertPasskey,
  listCredentials,
  lockWaysIn,
  type OwnPasskey,
  setPasskeyOnly,
  takeChallenge,
} from '../../../db/queries/accounts/passkeys.js'
import { keepSession } from '../../../db/queries/accounts/sessions.js'
import type { Account } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import {
  CHALLENGE_MINUTES,
  challengeOf,
  createChallenge,
  createUserHandle,
  MAX_OPEN_CHALLENGES,
  MAX_PASSKEYS,
  type RelyingParty,
} from '../../domain/accounts/passkeys.js'
import {
  EMERGENCY_BY_PASSWORD,
  LAST_PASSKEY,
  LAST_WAY_IN,
  NOT_LOGGED_IN,
  PASSKEY_INVALID,
  PASSKEY_KNOWN,
  PASSKEY_NEEDED,
  TOO_MANY_PASSKEYS,
  TooManyAttempts,
} from '../../domain/refusals.js'
import { countIdentities, countWaysIn, type OfferedWays } from '../../domain/sign-in/ways-in.js'
import { importWebauthn } from './webauthn.js'

/** As people see it in what their authenticator asks. */
const NAME = 'Training'

/** Why an authenticator's answer was refused, for the log: its owner learns only that it was. */
export type OnRefused = (reason: string, details?: object) => void

/**
 * What a browser needs to make a passkey of the user: one that names the user by itself and verifies who uses it.
 * @throws TooManyAttempts when too many are open at that network
 */
export async function beginRegistration(
  db: Kysely<Database>,
  { id: rpID }: RelyingParty,
  user: Account,
  network: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listCredentials(db, user.id)
  const user_handle = known[0]?.user_handle ?? createUserHandle()
  const challenge = createChallenge()
  await storeChallenge(db, { challenge, purpose: 'register', user_id: user.id, user_handle, network })
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

/** @throws TooManyAttempts when too many are open at that network */
export async function storeChallenge(
  db: Kysely<Database>,
  challenge: Parameters<typeof insertChallenge>[1],
): Promise<void> {
  const limit = { minutes: CHALLENGE_MINUTES, most: MAX_OPEN_CHALLENGES }
  if (!(await insertChallenge(db, challenge, limit))) throw new TooManyAttempts(CHALLENGE_MINUTES * 60)
}

export interface NewPasskey {
  name: string
  credential: RegistrationResponseJSON
  /** The session that registers it. */
  sessionId: number
}

/**
 * Stores the passkey that a browser has made, and notes it when the user is an administrator.
 * @throws PASSKEY_INVALID, PASSKEY_KNOWN, TOO_MANY_PASSKEYS
 * @throws NOT_LOGGED_IN when the session has ended meanwhile
 */
export async function finishRegistration(
  db: Kysely<Database>,
  actor: Actor,
  { party, user, onRefused }: { party: RelyingParty; user: Account; onRefused: OnRefused },
  { name, credential, sessionId }: NewPasskey,
): Promise<OwnPasskey> {
  const challenge = challengeOf(credential.response.clientDataJSON)
  const taken = challenge && (await takeChallenge(db, challenge, 'register'))
  if (taken === undefined || taken.user_id !== user.id || taken.user_handle === null) {
    onRefused('no such challenge')
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
  const row = {
    user_id: user.id,
    name,
    credential_id: Buffer.from(id, 'base64url'),
    public_key: Buffer.from(publicKey),
    user_handle: taken.user_handle,
    counter,
    transports,
    backed_up: made.registrationInfo.credentialBackedUp,
  }
  return db.transaction().execute(async (transaction) => {
    if (!(await keepSession(transaction, user.id, sessionId))) throw NOT_LOGGED_IN
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
 * Deletes a passkey of the user, if there is one, and notes it when the user is an administrator.
 * @throws LAST_PASSKEY while the user logs in by passkeys only
 * @throws LAST_WAY_IN when there is no other one
 */
export async function removePasskey(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  id: number,
  offered: OfferedWays,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ways = await lockWaysIn(transaction, user.id)
    if (!ways?.passkeys.includes(id)) return
    if (ways.passkeys.length === 1) {
      if (ways.passkey_only) throw LAST_PASSKEY
      const identities = countIdentities(ways.issuers, offered.oidc)
      if (countWaysIn({ ...ways, passkeys: 0, identities }, offered) === 0) throw LAST_WAY_IN
    }
    await deletePasskeys(transaction, user.id, id)
    if (user.is_admin) await insertAuditEntry(transaction, actor, { action: 'passkey.delete', target_id: id })
  })
}

/**
 * Lets the user choose whether the password is refused, and notes it when the user is an administrator.
 * @throws PASSKEY_NEEDED when there is no passkey to log in by
 * @throws EMERGENCY_BY_PASSWORD for an account that gets in by password although that is switched off
 * @throws NOT_LOGGED_IN when the user has been deleted meanwhile
 */
export async function choosePasskeyOnly(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  passkeyOnly: boolean,
  offered: Pick<OfferedWays, 'password'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ways = await lockWaysIn(transaction, user.id)
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
