import { isObject } from './operations.js'
import { attributeName } from './schemas.js'

/** Attributes that a response contains, as normalised names; see `attributeName` */
export interface Projection {
  /** Undefined for all */
  attributes: readonly string[] | undefined
  excluded: readonly string[]
}

const ALWAYS = new Set(['id', 'schemas'])

/**
 * Parses the parameters `attributes` and `excludedAttributes`: names, separated by commas, or a list of names.
 * @example parseProjection({ excludedAttributes: 'members' }) // { attributes: undefined, excluded: ['members'] }
 */
export function parseProjection(given: { attributes?: unknown; excludedAttributes?: unknown }): Projection {
  const attributes = namesOf(given.attributes)
  return { attributes: attributes.length === 0 ? undefined : attributes, excluded: namesOf(given.excludedAttributes) }
}

function namesOf(given: unknown): string[] {
  const list = Array.isArray(given) ? given : typeof given === 'string' ? given.split(',') : []
  return list.flatMap((name: unknown) => (typeof name === 'string' && name.trim() !== '' ? [attributeName(name)] : []))
}

/** Whether a response contains any part of an attribute */
export function isShown({ attributes, excluded }: Projection, name: string): boolean {
  if (excluded.includes(name)) return false
  return attributes === undefined || attributes.some((one) => one === name || one.startsWith(`${name}.`))
}

/** Returns the parts of a resource that the projection selects; `id` and `schemas` always. */
export function project<T extends object>(resource: T, projection: Projection): Partial<T> {
  if (projection.attributes === undefined && projection.excluded.length === 0) return resource
  return pick(resource, projection, '') as Partial<T>
}

function pick(value: object, projection: Projection, prefix: string): object {
  const { attributes, excluded } = projection
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    const name = prefix + attributeName(key)
    if (prefix === '' && ALWAYS.has(name)) return [[key, entry]]
    if (!isShown(projection, name)) return []
    const parts = (attributes ?? []).some((one) => one.startsWith(`${name}.`)) && !attributes?.includes(name)
    if (!parts && !excluded.some((one) => one.startsWith(`${name}.`))) return [[key, entry]]
    const inner = { attributes: parts ? attributes : undefined, excluded }
    const pickOne = (one: unknown) => (isObject(one) ? pick(one, inner, `${name}.`) : one)
    return [[key, Array.isArray(entry) ? entry.map(pickOne) : pickOne(entry)]]
  })
  return Object.fromEntries(entries)
}
