import { isObject } from './operations.js'
import { invalidValue } from './refusals.js'
import { attributeName } from './schemas.js'

/** Attributes that a response contains, as normalised names; see `attributeName` */
export interface Projection {
  /** Undefined for all */
  attributes: Names | undefined
  excluded: Names
}

interface Names {
  names: ReadonlySet<string>
  /** Attributes with a sub-attribute in `names` */
  parents: ReadonlySet<string>
}

const ALWAYS = new Set(['id', 'schemas'])

/** Maximum number of names in a parameter; the service knows fewer */
const MAX_NAMES = 100

/**
 * Parses the parameters `attributes` and `excludedAttributes`: names, separated by commas, or a list of names.
 * @throws ScimRefusal `invalidValue` if one has more than 100 names
 * @example parseProjection({ excludedAttributes: 'members' }).excluded.names // Set { 'members' }
 */
export function parseProjection(given: { attributes?: unknown; excludedAttributes?: unknown }): Projection {
  const attributes = namesOf('attributes', given.attributes)
  return {
    attributes: attributes.names.size === 0 ? undefined : attributes,
    excluded: namesOf('excludedAttributes', given.excludedAttributes),
  }
}

function namesOf(parameter: string, given: unknown): Names {
  const list: unknown[] = Array.isArray(given) ? given : typeof given === 'string' ? given.split(',') : []
  if (list.length > MAX_NAMES) throw invalidValue(parameter, `has more than ${MAX_NAMES} names`)
  const names = list.flatMap((name) => (typeof name === 'string' && name.trim() !== '' ? [attributeName(name)] : []))
  const parents = names.flatMap((name) => (name.includes('.') ? [name.slice(0, name.indexOf('.'))] : []))
  return { names: new Set(names), parents: new Set(parents) }
}

/** Whether a response contains any part of an attribute */
export function isShown({ attributes, excluded }: Projection, name: string): boolean {
  if (excluded.names.has(name)) return false
  return attributes === undefined || attributes.names.has(name) || attributes.parents.has(name)
}

/** Returns the parts of a resource that the projection selects; `id` and `schemas` always. */
export function project<T extends object>(resource: T, projection: Projection): Partial<T> {
  if (projection.attributes === undefined && projection.excluded.names.size === 0) return resource
  return pick(resource, projection, '') as Partial<T>
}

function pick(value: object, projection: Projection, prefix: string): object {
  const { attributes, excluded } = projection
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    const name = prefix + attributeName(key)
    if (prefix === '' && ALWAYS.has(name)) return [[key, entry]]
    if (!isShown(projection, name)) return []
    const hasParts = attributes?.parents.has(name) && !attributes.names.has(name)
    if (!hasParts && !excluded.parents.has(name)) return [[key, entry]]
    const inner = { attributes: hasParts ? attributes : undefined, excluded }
    const pickOne = (one: unknown) => (isObject(one) ? pick(one, inner, `${name}.`) : one)
    return [[key, Array.isArray(entry) ? entry.map(pickOne) : pickOne(entry)]]
  })
  return Object.fromEntries(entries)
}
