import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import type { LoginAttempt } from '../../domain/accounts/login-limits.js'
import { type HashShare, HashTurns } from './hash-turns.js'

/** OWASP's minimum for argon2id; one lane, since the number of hashes at a time is bounded below. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const turns = new HashTurns({
  // At most two of libuv's four threads, so that file and DNS work of other requests goes on, and never all cores: one
  // is left for the requests themselves.
  concurrent: Math.min(Math.max(availableParallelism() - 1, 1), 2),
  // About four seconds of work on a slow core; whoever comes later is asked to try again.
  waitingLogins: 100,
  waitingOthers: 50,
  waitingPerOwner: 20,
  retryAfterSeconds: 5,
})

/** The program's own: the first administrator, the command line. */
const PROGRAM: HashShare = { isLogin: false, group: 'program', owner: 'program' }

/** Whoever is not logged in has a share by network, and in it by the name that is tried. */
export function loginShare({ network, accountHash }: LoginAttempt): HashShare {
  return { isLogin: true, group: network, owner: accountHash.toString('base64') }
}

/** Whoever is logged in has a share by account, wherever the requests come from; null is the command line. */
export function accountShare(userId: number | null): HashShare {
  return userId === null ? PROGRAM : { isLogin: false, group: `${userId}`, owner: `${userId}` }
}

/** A hash of the same cost that no password has, so that an unknown user takes as long as a wrong password. */
const unmatchableHash = await argon2.hash(randomBytes(32), PARAMETERS)

/**
 * The argon2id hash in PHC format.
 * @throws TooManyAttempts or Unavailable when it cannot be waited for
 */
export function hashPassword(password: string, share = PROGRAM): Promise<string> {
  return turns.run(share, () => argon2.hash(normal(password), PARAMETERS))
}

/** macOS may send what is typed decomposed, other systems send it composed. */
function normal(password: string): string {
  return password.normalize('NFC')
}

/** The only format that can be verified; scripts write the column, too, and may have put there what they like. */
const ARGON2_HASH = /^\$argon2(?:i|d|id)\$(?:v=\d+\$)?[mpt]=\d+,[mpt]=\d+,[mpt]=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/

/**
 * Whether the password belongs to the hash; without one that can be verified it takes as long and is false.
 * @throws TooManyAttempts or Unavailable when it cannot be waited for
 */
export async function verifyPassword(
  hash: string | null | undefined,
  password: string,
  share: HashShare,
): Promise<boolean> {
  const isUsable = typeof hash === 'string' && ARGON2_HASH.test(hash)
  const matches = await turns.run(share, () => argon2.verify(isUsable ? hash : unmatchableHash, normal(password)))
  return matches && isUsable
}
