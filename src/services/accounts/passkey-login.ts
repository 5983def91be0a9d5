import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Kysely } from 'kysely'
import {
  findPasskey,
  insertChallenge,
  recordUse,
  takeChallenge,
  type UsedPasskey,
} from '../../../db/queries/accounts/passkeys.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import {
  CHALLENGE_MINUTES,
  createChallenge,
  decodeBase64Url,
  isCloned,
  MAX_OPEN_LOGINS,
  type RelyingParty,
  readClientData,
} from '../../domain/accounts/passkeys.js'
import { PASSKEY_REFUSED } from '../../domain/accounts/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import type { Login } from './log-in.js'
import type { OnRefused } from './passkeys.js'
import { importWebauthn } from './webauthn.js'

/**
 * Stores a challenge and returns the options for a login with a passkey. The options contain no user, so they do not
 * reveal which users have passkeys.
 */
export async function beginPasskeyLogin(
  db: Kysely<Database>,
  { id: rpID }: RelyingParty,
  network: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = createChallenge()
  const limit = { minutes: CHALLENGE_MINUTES, most: MAX_OPEN_LOGINS }
  await insertChallenge(db, { challenge, purpose: 'login', user_id: null, user_handle: null, network }, limit)
  const { generateAuthenticationOptions } = await importWebauthn()
  return generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_MINUTES * 60_000,
    userVerification: 'required',
  })
}

export interface PasskeyAttempt {
  credential: AuthenticationResponseJSON
  address: string
  /** The current calendar day as `YYYY-MM-DD` */
  today: string
  onRefused: OnRefused
}

/**
 * Verifies a passkey and returns the login. Failures count as failed logins of the credential and of the address.
 * @throws PASSKEY_REFUSED if the challenge or the passkey is unknown, the response is invalid, the passkey may have
 * been copied, or the account is disabled
 * @throws TooManyAttempts while a limit of failed logins applies
 */
export async function logInByPasskey(
  db: Kysely<Database>,
  party: RelyingParty,
  { credential, address, today, onRefused }: PasskeyAttempt,
): Promise<Login> {
  // A user name cannot contain NUL, so a passkey never shares a counter of failures with a user name.
  const attempt = loginAttempt(address, `\0${credential.id}`)
  const passkey = await limitGuesses(db, attempt, () => verify(db, party, { credential, today, onRefused }))
  if (passkey === undefined) throw PASSKEY_REFUSED
  // A user who must change the password may log in by passkey without changing it.
  return { user: { ...passkey.user, must_change_password: false }, credential: { passkeyId: passkey.id } }
}

async function verify(
  db: Kysely<Database>,
  party: RelyingParty,
  { credential, today, onRefused }: Omit<PasskeyAttempt, 'address'>,
): Promise<UsedPasskey | undefined> {
  // The challenge is deleted before any check, so that it can be used only once.
  const { challenge, isFramed } = readClientData(credential.response.clientDataJSON) ?? {}
  const isOurs = challenge !== undefined && (await takeChallenge(db, challenge, 'login')) !== undefined
  if (!isOurs) return refuse('no such challenge')
  if (isFramed) return refuse('in a frame of another origin')
  const credentialId = decodeBase64Url(credential.id)
  const passkey = credentialId && (await findPasskey(db, credentialId))
  if (passkey === undefined) return refuse('no such passkey')
  const ids = { passkey_id: passkey.id, user_id: passkey.user.id }
  const { userHandle } = credential.response
  if (userHandle !== passkey.user_handle.toString('base64url')) return refuse('of another user', ids)
  const { verifyAuthenticationResponse } = await importWebauthn()
  const outcome = await verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    // The counter is checked below, after the signature has been verified.
    credential: { id: credential.id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    requireUserVerification: true,
  }).catch((error: Error) => refuse(error.message, ids))
  if (outcome === undefined) return undefined
  if (!outcome.verified) return refuse('wrong signature', ids)
  if (isDisabled(passkey.user, today)) return refuse('the account is disabled', ids)
  const { newCounter: counter, credentialBackedUp: backed_up } = outcome.authenticationInfo
  const counters = { ...ids, counter, stored_counter: passkey.counter }
  if (isCloned(passkey.counter, counter)) return refuse('the counter went back: it may have been copied', counters)
  // A concurrent login may have used the same counter.
  if (!(await recordUse(db, passkey.id, { counter, backed_up }))) return refuse('used at the same time', counters)
  return passkey

  function refuse(reason: string, details?: object): undefined {
    onRefused(reason, details)
    return undefined
  }
}
