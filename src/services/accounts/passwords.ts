import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import pLimit from 'p-limit'
import { Unavailable } from '../../domain/refusals.js'

/** OWASP's minimum for argon2id; one lane, since the number of hashes at a time is bounded below. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * At most two of libuv's four threads, so that file and DNS work of other requests goes on, and never all cores: one is
 * left for the requests themselves.
 */
const CONCURRENT_HASHES = Math.min(Math.max(availableParallelism() - 1, 1), 2)
/** About four seconds of work on a slow core; whoever comes later is asked to try again. */
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 5

const limit = pLimit(CONCURRENT_HASHES)

/** A hash of the same cost that no password has, so that an unknown user takes as long as a wrong password. */
const unmatchableHash = await argon2.hash(randomBytes(32), PARAMETERS)

/** The argon2id hash in PHC format. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => argon2.hash(password, PARAMETERS))
}

/** The only format that can be verified; scripts write the column, too, and may have put there what they like. */
const ARGON2_HASH = /^\$argon2(?:i|d|id)\$(?:v=\d+\$)?[mpt]=\d+,[mpt]=\d+,[mpt]=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/

/** Whether the password belongs to the hash; without one that can be verified it takes as long and is false. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const isUsable = hash !== undefined && ARGON2_HASH.test(hash)
  const matches = await bounded(() => argon2.verify(isUsable ? hash : unmatchableHash, password))
  return matches && isUsable
}

async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (limit.pendingCount >= MAX_WAITING) throw new Unavailable(RETRY_AFTER_SECONDS)
  return limit(work)
}
