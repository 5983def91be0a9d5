import { invalidValue } from './refusals.js'

/** Maximum and default number of resources in a response */
export const MAX_RESULTS = 200
const DEFAULT_RESULTS = 100
const MAX_INDEX = 2 ** 31 - 1

/**
 * Parses `startIndex`, which counts from 1, and `count`. Clamps both, as RFC 7644 (3.4.2.4) says.
 * @throws ScimRefusal `invalidValue` if one is no whole number
 * @example parseScimPage({ startIndex: '11', count: '10' }) // { offset: 10, limit: 10 }
 */
export function parseScimPage(given: { startIndex?: unknown; count?: unknown }): { offset: number; limit: number } {
  const start = parseWhole('startIndex', given.startIndex) ?? 1
  const count = parseWhole('count', given.count) ?? DEFAULT_RESULTS
  return {
    offset: Math.min(Math.max(start, 1), MAX_INDEX) - 1,
    limit: Math.min(Math.max(count, 0), MAX_RESULTS),
  }
}

/** Maximum number of members in a response of several groups */
const MAX_LISTED_MEMBERS = 20_000

/**
 * Returns the first groups, at least one, that together have a bounded number of members. The page of a list may
 * therefore have fewer groups than asked for.
 * @param groups `size` is the number of members
 */
export function limitMembers<T extends { size: number }>(groups: readonly T[]): T[] {
  let members = 0
  return groups.filter(({ size }, index) => {
    members += size
    return index === 0 || members <= MAX_LISTED_MEMBERS
  })
}

function parseWhole(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value)) return Number(value)
  throw invalidValue(name, 'must be a whole number')
}
