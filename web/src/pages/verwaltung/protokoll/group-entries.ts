import type { ResponseBody } from '../../../api/types.js'
import { count } from '../../../words/numbers.js'
import { ACTIONS } from '../audit-words.js'

/** Fields that are equal in all entries of a group */
type Entry = Pick<
  ResponseBody<'/api/accounts/audit'>['entries'][number],
  'at' | 'action' | 'actor_id' | 'actor' | 'via' | 'address'
>

/** Entries that one request has written for the same action, newest first */
export interface EntryGroup<E extends Entry> {
  entries: [E, ...E[]]
  /** Whether the next page may contain more entries of this group */
  isOpen: boolean
}

/**
 * Groups consecutive entries with the same time, action, actor, way of access and address. A request writes its entries
 * in one transaction, and all of them have the start time of that transaction.
 * @param hasMore whether older entries exist that are not loaded
 */
export function groupEntries<E extends Entry>(entries: readonly E[], hasMore: boolean): EntryGroup<E>[] {
  const groups: EntryGroup<E>[] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    if (last !== undefined && isSameAction(last.entries[0], entry)) last.entries.push(entry)
    else groups.push({ entries: [entry], isOpen: false })
  }
  const last = groups.at(-1)
  if (last !== undefined) last.isOpen = hasMore
  return groups
}

function isSameAction(one: Entry, other: Entry): boolean {
  return (['at', 'action', 'actor_id', 'actor', 'via', 'address'] as const).every((key) => one[key] === other[key])
}

/**
 * Returns the title of a group. If the group is open, the number in the title is a minimum.
 * @example titleOf(group) // '30 Benutzer angelegt'
 */
export function titleOf({ entries, isOpen }: EntryGroup<Entry>): string {
  const { action } = entries[0]
  const number = count(entries.length)
  const label = Object.hasOwn(ACTIONS, action) ? (ACTIONS[action]?.label ?? action) : action
  if (label.startsWith('Benutzer ')) return `${isOpen ? `Mindestens ${number}` : number} ${label}`
  return `${label} (${isOpen ? `mindestens ${number}` : number})`
}
