import { ForeignAnswer, Unreachable } from '../../../api/faults.js'
import { OWN, readStored, removeStored, writeStored } from '../../../platform/storage.js'
import { findKept, forgetOne, keep } from '../../../storage/kept.js'
import { attempts } from '../tests-api.js'
import type { Attempt } from '../types.js'

const SECOND_MS = 1_000

const nameOf = (id: number) => `attempt ${id}`
const marksKeyOf = (user: number, id: number) => `${OWN}test-marks.${user}.${id}`

/**
 * Returns an attempt from the service, or its copy on this device if the service is unreachable.
 * @throws Fault if the service refuses, or is unreachable and there is no copy
 */
export async function readAttempt(id: number, user: number): Promise<Attempt> {
  const at = Date.now()
  try {
    const attempt = await attempts.read(id)
    if (attempt.state === 'open') void keep(user, nameOf(id), attempt, at)
    return attempt
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof ForeignAnswer)) throw error
    const kept = await findKept<Attempt>(user, nameOf(id))
    if (kept === undefined) throw error
    const { seconds_left } = kept.content
    const gone = Math.floor((at - kept.at) / SECOND_MS)
    return { ...kept.content, seconds_left: seconds_left === null ? null : Math.max(0, seconds_left - gone) }
  }
}

/** Returns the slots that the learner has marked on this device. */
export const readMarks = (user: number, id: number) => readStored<number[]>(marksKeyOf(user, id)) ?? []

export const writeMarks = (user: number, id: number, slots: readonly number[]) =>
  writeStored(marksKeyOf(user, id), slots)

/** Deletes the copy and the marks of an ended attempt on this device. */
export async function forgetAttempt(user: number, id: number): Promise<void> {
  removeStored(marksKeyOf(user, id))
  await forgetOne(user, nameOf(id))
}
