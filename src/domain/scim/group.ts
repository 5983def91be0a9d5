import { parseExternalId } from '../external-id.js'
import { parseTeam } from '../teams/teams.js'
import { type Assignment, entryOf, isObject, readOperations, readResource } from './operations.js'
import { invalidFilter, invalidValue, isRequired } from './refusals.js'
import { accept } from './user.js'

/** Changes of the members, as ids in the form of the request */
export interface MemberChanges {
  /** Whether `add` replaces all members */
  replaces: boolean
  add: Set<string>
  remove: Set<string>
}

/** What a request says about a group; absent fields stay unchanged */
export interface GroupInput {
  displayName?: string
  externalId?: string | null
  members?: MemberChanges
}

export interface NewGroupInput extends GroupInput {
  displayName: string
}

/**
 * Parses a whole group of POST or PUT.
 * @throws ScimRefusal `invalidSyntax` or `invalidValue`
 */
export function readGroup(body: unknown): NewGroupInput {
  const { displayName, ...input } = collect(readResource(body))
  if (displayName === undefined) throw invalidValue('displayName', 'is required')
  return { ...input, displayName }
}

/** Parses a PATCH body. @throws ScimRefusal with one of the keywords of RFC 7644 if the body is invalid */
export function readGroupPatch(body: unknown): GroupInput {
  return collect(readOperations(body))
}

function collect(assignments: readonly Assignment[]): GroupInput {
  const input: GroupInput = {}
  for (const one of assignments) {
    const { op, attribute, value } = one
    if (attribute === 'displayname') {
      if (op === 'remove') throw isRequired('displayName')
      if (typeof value !== 'string') throw invalidValue('displayName', 'must be a text')
      const { name } = accept('displayName', () => parseTeam({ name: value }))
      if (name !== undefined) input.displayName = name
    } else if (attribute === 'externalid') {
      if (op !== 'remove' && value !== null && typeof value !== 'string') {
        throw invalidValue('externalId', 'must be a text')
      }
      const id = op === 'remove' || value === null ? '' : String(value).trim()
      input.externalId = id === '' ? null : accept('externalId', () => parseExternalId(id))
    } else if (attribute === 'members' || attribute === 'members.value') {
      input.members ??= { replaces: false, add: new Set(), remove: new Set() }
      changeMembers(input.members, one)
    }
  }
  return input
}

function changeMembers(changes: MemberChanges, { op, filter, value }: Assignment): void {
  if (filter !== undefined) {
    const ids = filter.flatMap((condition) => (condition.attribute === 'value' ? [String(condition.value)] : []))
    if (ids.length !== 1 || filter.length !== 1) throw invalidFilter('members are selected by "value" only')
    if (op === 'remove') drop(changes, ids)
    else take(changes, ids)
    return
  }
  // Entra removes members by a list of values without a filter.
  if (op === 'remove' && value !== undefined && value !== null) drop(changes, readMembers(value))
  else if (op === 'add') take(changes, readMembers(value))
  else
    Object.assign(changes, {
      replaces: true,
      add: new Set(op === 'remove' ? [] : readMembers(value)),
      remove: new Set(),
    })
}

function take({ add, remove }: MemberChanges, ids: Iterable<string>): void {
  for (const id of ids) {
    add.add(id)
    remove.delete(id)
  }
}

function drop({ add, remove }: MemberChanges, ids: Iterable<string>): void {
  for (const id of ids) {
    add.delete(id)
    remove.add(id)
  }
}

/** Returns the ids of the members. Leaves out groups, whose ids may be those of users. */
function readMembers(value: unknown): string[] {
  if (value === null || value === undefined) return []
  const entries = Array.isArray(value) ? value : [value]
  return entries.flatMap((entry: unknown) => {
    if (typeof entry === 'string') return [entry]
    if (!isObject(entry)) throw invalidValue('members', 'must be a list of objects with "value"')
    const id = entryOf(entry, 'value')
    if (isGroup(entry)) return []
    if (typeof id !== 'string' && typeof id !== 'number') throw invalidValue('members', 'needs a "value"')
    return [String(id)]
  })
}

function isGroup(entry: Record<string, unknown>): boolean {
  const [type, reference] = [entryOf(entry, 'type'), entryOf(entry, '$ref')]
  return (
    (typeof type === 'string' && type.toLowerCase() === 'group') ||
    (typeof reference === 'string' && reference.includes('/Groups/'))
  )
}
