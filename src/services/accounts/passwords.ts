import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import type { LoginAttempt } from '../../domain/accounts/login-limits.js'
import { toNfc } from '../../domain/text/nfc.js'
import { FairTurns, PROGRAM, type TurnShare } from '../fair-turns.js'

/** Minimum parameters for argon2id that OWASP recommends */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const turns = new FairTurns({
  // At most two of libuv's four threads, so that file and DNS operations continue. On two or more cores, one core stays
  // free to serve requests.
  concurrent: Math.min(Math.max(availableParallelism() - 1, 1), 2),
  waitingUrgent: 100,
  waitingOthers: 50,
  waitingPerOwner: 20,
  retryAfterSeconds: 5,
})

export function loginShare({ network, accountHash }: LoginAttempt): TurnShare {
  return { isUrgent: true, group: network, owner: accountHash.toString('base64') }
}

/** Hash of random bytes with the same parameters, so that checking an unknown user takes as long as a wrong password */
const unmatchableHash = await argon2.hash(randomBytes(32), PARAMETERS)

/**
 * Returns the argon2id hash in PHC format.
 * @throws TooManyAttempts, Unavailable under the conditions of `FairTurns.run`
 */
export function hashPassword(password: string, share = PROGRAM): Promise<string> {
  return turns.run(share, () => argon2.hash(normal(password), PARAMETERS))
}

/** Normalises to NFC, because clients may send the same text composed or decomposed. */
function normal(password: string): string {
  return toNfc(password)
}

/** Hash format that argon2 can verify; scripts may have written other text to the column. */
const ARGON2_HASH = /^\$argon2(?:i|d|id)\$(?:v=\d+\$)?[mpt]=\d+,[mpt]=\d+,[mpt]=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/

/**
 * Returns whether the password matches the hash; false, after the same time, if the hash is missing or cannot be
 * verified.
 * @throws TooManyAttempts, Unavailable under the conditions of `FairTurns.run`
 */
export async function verifyPassword(
  hash: string | null | undefined,
  password: string,
  share: TurnShare,
): Promise<boolean> {
  const isUsable = typeof hash === 'string' && ARGON2_HASH.test(hash)
  const matches = await turns.run(share, () => argon2.verify(isUsable ? hash : unmatchableHash, normal(password)))
  return matches && isUsable
}
