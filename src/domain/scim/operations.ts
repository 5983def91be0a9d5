import { type Path, parsePath } from './filter.js'
import { invalidSyntax, NO_TARGET, ScimRefusal } from './refusals.js'
import { attributeName } from './schemas.js'

/** One change of one attribute */
export interface Assignment extends Path {
  op: 'add' | 'replace' | 'remove'
  value: unknown
}

const OPS = new Set(['add', 'replace', 'remove'])

/** Attributes whose sub-attributes are assigned one by one */
const COMPLEX = new Set(['name', 'enterprise'])

/** Attributes that the service sets. Some providers send them with each change, so they are ignored. */
const READ_ONLY = new Set(['id', 'schemas', 'meta', 'groups'])

/**
 * Returns the changes that a PATCH body asks for. Accepts names of operations and attributes in any case, attribute
 * paths as keys of a value without a path, and an object in place of a list of operations.
 * @throws ScimRefusal `invalidSyntax`, `invalidPath`, `invalidFilter` or `noTarget` if the body has another form
 */
export function readOperations(body: unknown): Assignment[] {
  const operations = entryOf(body, 'operations')
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalidSyntax('"Operations" must be a list of at least one operation')
  }
  return operations.flatMap((operation: unknown) => {
    const name = entryOf(operation, 'op')
    const op = typeof name === 'string' ? name.toLowerCase() : ''
    if (!OPS.has(op)) throw invalidSyntax('"op" must be "add", "replace" or "remove"')
    return assign(op as Assignment['op'], entryOf(operation, 'path'), entryOf(operation, 'value'))
  })
}

/** Returns the values of a whole resource as changes. @throws ScimRefusal `invalidSyntax` if the body is no object */
export function readResource(body: unknown): Assignment[] {
  return assignKeys('replace', body)
}

function assign(op: Assignment['op'], path: unknown, value: unknown): Assignment[] {
  if (path === undefined || path === null || path === '') {
    if (op === 'remove') throw NO_TARGET
    return assignKeys(op, value)
  }
  if (typeof path !== 'string') throw invalidSyntax('"path" must be a text')
  return spread({ op, value, ...parsePath(path) })
}

function assignKeys(op: Assignment['op'], value: unknown): Assignment[] {
  if (!isObject(value)) throw invalidSyntax('An object with attributes is expected')
  return Object.entries(value).flatMap(([key, entry]) => {
    const path = parseKey(key)
    return path === undefined ? [] : spread({ op, value: entry, ...path })
  })
}

/** Maximum length of a key that is parsed; the longest name, with its URN, has 77 characters */
const MAX_KEY_LENGTH = 300

/** Returns the path; undefined for a key that is no path, which is an unknown attribute. */
function parseKey(key: string): Path | undefined {
  if (key.length > MAX_KEY_LENGTH) return undefined
  try {
    return parsePath(key)
  } catch (error) {
    if (error instanceof ScimRefusal) return undefined
    throw error
  }
}

function spread(one: Assignment): Assignment[] {
  const { attribute, value } = one
  if (READ_ONLY.has(attribute)) return []
  if (!COMPLEX.has(attribute)) return [one]
  if (!isObject(value)) return one.op === 'remove' ? [one] : []
  return Object.entries(value).map(([key, entry]) => ({
    ...one,
    attribute: `${attribute}.${attributeName(key)}`,
    value: entry,
  }))
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value of a key, which is compared without case. */
export function entryOf(object: unknown, key: string): unknown {
  if (!isObject(object)) return undefined
  if (Object.hasOwn(object, key)) return object[key]
  const found = Object.keys(object).find((name) => name.toLowerCase() === key)
  return found === undefined ? undefined : object[found]
}
