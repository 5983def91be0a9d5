import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import type { LoginAttempt } from '../../domain/accounts/login-limits.js'
import { FairTurns, PROGRAM, type TurnShare } from '../fair-turns.js'

/** Minimum parameters of OWASP for argon2id. `parallelism` is 1, because `turns` limits the concurrency. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const turns = new FairTurns({
  // At most two of libuv's four threads, so that file and DNS operations continue. On two or more cores, one core stays
  // free to serve requests.
  concurrent: Math.min(Math.max(availableParallelism() - 1, 1), 2),
  // About four seconds of work on a slow core. Further requests are refused and retry later.
  waitingUrgent: 100,
  waitingOthers: 50,
  waitingPerOwner: 20,
  retryAfterSeconds: 5,
})

/** Returns the share of a login attempt: the group is the client's network, the owner the attempted name. */
export function loginShare({ network, accountHash }: LoginAttempt): TurnShare {
  return { isUrgent: true, group: network, owner: accountHash.toString('base64') }
}

/** Hash of random bytes with the same cost, so that the check of an unknown user takes as long as a wrong password */
const unmatchableHash = await argon2.hash(randomBytes(32), PARAMETERS)

/**
 * Returns the argon2id hash in PHC format.
 * @throws TooManyAttempts or Unavailable if the queue is full
 */
export function hashPassword(password: string, share = PROGRAM): Promise<string> {
  return turns.run(share, () => argon2.hash(normal(password), PARAMETERS))
}

/** Normalises to NFC, because macOS may send typed text decomposed, while other systems send it composed. */
function normal(password: string): string {
  return password.normalize('NFC')
}

/** Hash format that argon2 can verify; scripts may have written other text to the column. */
const ARGON2_HASH = /^\$argon2(?:i|d|id)\$(?:v=\d+\$)?[mpt]=\d+,[mpt]=\d+,[mpt]=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/

/**
 * Returns whether the password matches the hash. Without a verifiable hash it takes the same time and returns false.
 * @throws TooManyAttempts or Unavailable if the queue is full
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
