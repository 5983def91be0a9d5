import { checkText, parsePersonnelNumber } from '../accounts/accounts.js'
import { parseExternalId } from '../external-id.js'
import { parseMailAddress } from '../mail/address.js'
import { Refusal } from '../refusal.js'
import type { Condition } from './filter.js'
import { type Assignment, entryOf, isObject, readOperations, readResource } from './operations.js'
import { invalidValue, isRequired } from './refusals.js'

/** What a request says about a user; absent fields stay unchanged */
export interface UserInput {
  userName?: string
  displayName?: string
  active?: boolean
  externalId?: string | null
  email?: string | null
  employeeNumber?: string | null
}

export interface NewUserInput extends UserInput {
  userName: string
}

/**
 * Parses a whole user of POST or PUT. Ignores attributes that the service does not store.
 * @throws ScimRefusal `invalidSyntax` or `invalidValue`
 */
export function readUser(body: unknown): NewUserInput {
  const { userName, ...input } = collect(readResource(body), { email: null, isWhole: true })
  if (userName === undefined) throw invalidValue('userName', 'is required')
  return { ...input, userName }
}

/**
 * Parses a PATCH body. Ignores attributes that the service does not store.
 * @param current the stored address, which the filter of a path may select
 * @throws ScimRefusal with one of the keywords of RFC 7644 if the body is invalid
 */
export function readUserPatch(body: unknown, current: { email: string | null }): UserInput {
  return collect(readOperations(body), { ...current, isWhole: false })
}

interface Names {
  formatted?: string
  givenName?: string
  familyName?: string
}

function collect(
  assignments: readonly Assignment[],
  { email, isWhole }: { email: string | null; isWhole: boolean },
): UserInput {
  const input: UserInput = {}
  const names: Names = {}
  for (const one of assignments) {
    const { op, attribute, value } = one
    const isRemoved = op === 'remove'
    if (attribute === 'username') {
      if (isRemoved) throw isRequired('userName')
      input.userName = accept('userName', () => checked('username', textOf('userName', value)))
    } else if (attribute === 'displayname') {
      const name = isRemoved ? '' : optionalText('displayName', value)
      if (name !== '') input.displayName = name
    } else if (attribute.startsWith('name.')) {
      const name = isRemoved ? '' : optionalText(attribute, value)
      if (attribute === 'name.formatted' && name !== '') names.formatted = name
      if (attribute === 'name.givenname' && name !== '') names.givenName = name
      if (attribute === 'name.familyname' && name !== '') names.familyName = name
    } else if (attribute === 'active') {
      if (!isRemoved) input.active = parseActive(value)
    } else if (attribute === 'externalid') {
      const id = isRemoved ? '' : optionalText('externalId', value)
      input.externalId = id === '' ? null : accept('externalId', () => parseExternalId(id))
    } else if (attribute === 'enterprise.employeenumber' || (attribute === 'enterprise' && isRemoved)) {
      const number = isRemoved ? '' : optionalText('employeeNumber', value)
      input.employeeNumber = number === '' ? null : accept('employeeNumber', () => parsePersonnelNumber(number))
    } else if (attribute === 'emails' || attribute === 'emails.value') {
      const given = readEmail(one, input.email === undefined ? email : input.email)
      if (given !== undefined) {
        input.email = given === null ? null : accept('emails', () => parseMailAddress(given))
      }
    }
  }
  const displayName = input.displayName ?? displayNameOf(names, isWhole)
  if (displayName === undefined) return input
  return { ...input, displayName: accept('displayName', () => checked('display_name', displayName)) }
}

/** Returns the display name; undefined if only a part of the name is given, unless the request describes the whole user. */
function displayNameOf({ formatted, givenName, familyName }: Names, isWhole: boolean): string | undefined {
  if (formatted !== undefined) return formatted
  const parts = [givenName, familyName].filter((part) => part !== undefined)
  return parts.length === 2 || (isWhole && parts.length === 1) ? parts.join(' ') : undefined
}

/** Returns the address after the change, null for none, undefined if the change concerns an address that is not stored. */
function readEmail(
  { op, filter, sub, attribute, value }: Assignment,
  stored: string | null,
): string | null | undefined {
  if (filter !== undefined && !filter.every((condition) => selectsStored(condition, stored))) return undefined
  if (sub !== undefined && sub !== 'value') return undefined
  if (op === 'remove') return removesStored(value, stored) ? null : undefined
  if (sub === 'value' || attribute === 'emails.value') return optionalText('emails', value) || null
  const entries = Array.isArray(value) ? value : [value ?? null]
  const chosen = entries.find(isPrimary) ?? entries.find((entry) => entryOf(entry, 'type') === 'work') ?? entries[0]
  // An added address of another type stands beside that of work, which is the one that is stored.
  if (op === 'add' && stored !== null && isOfOtherType(chosen)) return undefined
  const text = isObject(chosen) ? entryOf(chosen, 'value') : chosen
  return optionalText('emails', text) || null
}

function isPrimary(entry: unknown): boolean {
  return [true, 'true', 'True'].includes(entryOf(entry, 'primary') as never)
}

function isOfOtherType(entry: unknown): boolean {
  const type = entryOf(entry, 'type')
  return typeof type === 'string' && type.toLowerCase() !== 'work' && !isPrimary(entry)
}

/** Whether a remove operation names the stored address; without a value, it removes all addresses. */
function removesStored(value: unknown, stored: string | null): boolean {
  if (value === undefined || value === null) return true
  const entries = Array.isArray(value) ? value : [value]
  return entries.some((entry: unknown) => {
    const text = isObject(entry) ? entryOf(entry, 'value') : entry
    return typeof text === 'string' && stored !== null && text.trim().toLowerCase() === stored.toLowerCase()
  })
}

/** Whether a condition selects the address that the service stores, which has the type `work` and is primary */
function selectsStored({ attribute, value }: Condition, stored: string | null): boolean {
  if (attribute === 'type') return String(value).toLowerCase() === 'work'
  if (attribute === 'primary') return String(value).toLowerCase() === 'true'
  return attribute === 'value' && stored !== null && String(value).toLowerCase() === stored.toLowerCase()
}

/** Entra sends "True" and "False" as texts. */
function parseActive(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw invalidValue('active', 'must be true or false')
}

function textOf(attribute: string, value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return String(value)
  throw invalidValue(attribute, 'must be a text')
}

/** Returns an empty text for null. */
function optionalText(attribute: string, value: unknown): string {
  return value === null || value === undefined ? '' : textOf(attribute, value)
}

function checked(field: string, text: string): string {
  checkText(field, text)
  return text
}

/** Runs a parser of the domain. Its refusals have German messages. @throws ScimRefusal `invalidValue` */
export function accept<T>(attribute: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { maximum } = error.details ?? {}
    throw invalidValue(
      attribute,
      maximum === undefined ? 'is empty or invalid' : `is longer than ${maximum} characters`,
    )
  }
}
