import type { RowFault } from './types.js'
import {
  CHANGED_FIELDS,
  faultAt,
  type ListedChange,
  type ListedUser,
  nameKey,
  takenIdFault,
  takenNumberFault,
} from './user-list.js'

/** An account with the names of its current teams */
export interface StoredAccount extends Omit<ListedUser, 'line' | 'password'> {
  id: number
  /** Teams that a list does not end: the person leads them, or belongs to them by the provider's groups */
  fixed_teams: string[]
}

export const UPDATED_FIELDS = [...CHANGED_FIELDS, 'teams'] as const

/** A value that a list changes */
export interface ValueChange {
  /** Null for a person who is missing from the list */
  line: number | null
  id: number
  username: string
  field: (typeof UPDATED_FIELDS)[number]
  from: string | boolean | string[] | null
  to: string | boolean | string[] | null
}

export interface AccountUpdate {
  line: number | null
  before: StoredAccount
  after: StoredAccount
}

export interface UpdatePlan {
  updates: AccountUpdate[]
  faults: RowFault[]
  /** Ids of all accounts in the list, changed or not */
  listed: number[]
}

/**
 * Plans the changes of accounts by a list; accounts that stay as they are have no update. Yields after each account, so
 * that other work can run in between.
 * @param accounts accounts with the names, personnel numbers and external ids of the list
 */
export function* planUpdatesInSteps(
  users: readonly ListedChange[],
  accounts: readonly StoredAccount[],
): Generator<void, UpdatePlan> {
  const byName = new Map(accounts.map((account) => [nameKey(account.username), account]))
  const byNumber = new Map(accounts.map((account) => [account.personnel_number, account]))
  const byExternalId = new Map(accounts.map((account) => [account.external_id, account]))
  const planned = new Map<number, AccountUpdate & { line: number }>()
  const faults: RowFault[] = []
  for (const { line, username, personnel_number, values, teams } of users) {
    yield
    const before = username === undefined ? byNumber.get(personnel_number) : byName.get(nameKey(username))
    if (before === undefined) {
      faults.push(unknownPersonFault(line, username))
      continue
    }
    const earlier = planned.get(before.id)
    if (earlier !== undefined) {
      const message = `Diese Person steht schon in Zeile ${earlier.line}`
      faults.push(faultAt(line, null, 'person_twice', message, { earlier: earlier.line }))
      continue
    }
    const after = { ...before, ...values }
    if (!after.is_auditor && 'auditor_until' in values) after.auditor_until = null
    if (teams !== undefined) after.teams = [...new Set([...before.fixed_teams, ...teams])].sort()
    planned.set(before.id, { line, before, after })
  }
  const updates: AccountUpdate[] = []
  for (const update of planned.values()) {
    yield
    if (changesOf(update).length > 0) updates.push(update)
    const { line, before, after } = update
    const isTaken = (field: 'personnel_number' | 'external_id', holders: ReadonlyMap<string | null, StoredAccount>) => {
      const holder = after[field] === null ? undefined : holders.get(after[field])
      if (holder === undefined || holder.id === before.id) return false
      return (planned.get(holder.id)?.after ?? holder)[field] === after[field]
    }
    if (isTaken('personnel_number', byNumber)) faults.push(takenNumberFault(line))
    if (isTaken('external_id', byExternalId)) faults.push(takenIdFault(line))
  }
  return { updates, faults, listed: [...planned.keys()] }
}

/** Returns the changes of an account, which consist of the fields that differ. */
export function changesOf({ line, before, after }: AccountUpdate): ValueChange[] {
  const { id, username } = before
  return UPDATED_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map(
    (field) => {
      return { line, id, username, field, from: before[field], to: after[field] }
    },
  )
}

function unknownPersonFault(line: number, username: string | undefined): RowFault {
  return username === undefined
    ? faultAt(line, 'personnel_number', 'unknown_number', 'Diese Personalnummer hat niemand')
    : faultAt(line, 'username', 'unknown_user', 'Diesen Benutzer gibt es nicht')
}
