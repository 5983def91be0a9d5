import { ForeignResponse, Unreachable } from '../../../api/faults.js'
import { readStored, removeStored, USER_KEY_PREFIX, writeStored } from '../../../platform/storage.js'
import { attemptName, cacheContent, deleteCachedItem, findCached } from '../../../storage/kept.js'
import { attempts } from '../tests-api.js'
import type { Attempt } from '../types.js'

const SECOND_MS = 1_000

const marksKeyOf = (user: number, id: number) => `${USER_KEY_PREFIX}test-marks.${user}.${id}`

/**
 * Returns an attempt from the service, or its copy on this device if the service is unreachable.
 * @throws Fault if the service refuses, or is unreachable and there is no copy
 */
export async function readAttempt(id: number, user: number): Promise<Attempt> {
  const at = Date.now()
  try {
    const attempt = await attempts.read(id)
    if (attempt.state === 'open') void cacheContent(user, attemptName(id), attempt, at)
    return attempt
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof ForeignResponse)) throw error
    const cached = await findCached<Attempt>(user, attemptName(id))
    if (cached === undefined) throw error
    const { seconds_left } = cached.content
    const gone = Math.floor((at - cached.at) / SECOND_MS)
    return { ...cached.content, seconds_left: seconds_left === null ? null : Math.max(0, seconds_left - gone) }
  }
}

export const readMarks = (user: number, id: number) => readStored<number[]>(marksKeyOf(user, id)) ?? []

export const writeMarks = (user: number, id: number, slots: readonly number[]) =>
  writeStored(marksKeyOf(user, id), slots)

export async function deleteCachedAttempt(user: number, id: number): Promise<void> {
  removeStored(marksKeyOf(user, id))
  await deleteCachedItem(user, attemptName(id))
}
