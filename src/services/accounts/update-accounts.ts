import type { Kysely, Transaction } from 'kysely'
import { type Actor, type AuditedAction, insertAuditEntries } from '../../../db/queries/accounts/audit.js'
import {
  countEnabled,
  findNamedIds,
  listAccounts,
  listMissingAccounts,
  updateListed,
} from '../../../db/queries/accounts/listed.js'
import { listServiceTokensOf } from '../../../db/queries/accounts/tokens.js'
import {
  deleteAccesses,
  listAdmins,
  lockAdmins,
  lockExternalIds,
  lockPersonnelNumbers,
} from '../../../db/queries/accounts/users.js'
import { readInChunks } from '../../../db/queries/read-in-chunks.js'
import { endMemberships, insertMembers, listMembershipsOf } from '../../../db/queries/teams/members.js'
import { announceDisabled } from '../../../db/queries/webhooks/announce.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { FaultyUsers, MISSING_NOT_CONFIRMED, TOO_MANY_MISSING } from '../../domain/accounts/refusals.js'
import type { RowFault } from '../../domain/accounts/types.js'
import {
  type AccountUpdate,
  changesOf,
  planUpdatesInSteps,
  type StoredAccount,
  type ValueChange,
} from '../../domain/accounts/user-changes.js'
import { type ChangeList, faultAt, nameKey, sortFaults } from '../../domain/accounts/user-list.js'
import { type Admin, vacatedRole } from '../../domain/sign-in/last-admin.js'
import { handOver } from '../assignments/hand-over.js'
import { keepOwnDuties } from '../assignments/own-duties.js'
import { mapInTurns, runInTurns } from '../content/turns.js'
import { type AccountRules, detailsOf, KEEP_ENABLED, KEEP_RIGHT } from './change-account.js'
import { findTeamIds, missingTeams } from './create-accounts.js'

export interface ListedChanges {
  changes: ValueChange[]
  /** Number of persons who are missing from the list and may be disabled */
  missing: number
  /** Whether more than a tenth of the enabled accounts are missing */
  too_many_missing: boolean
  /** Service tokens that end because their owners are disabled */
  service_tokens: Awaited<ReturnType<typeof listServiceTokensOf>>
}

export interface UpdateRules extends AccountRules {
  callerId: number
  /** Whether persons who are missing from the list are disabled */
  disablesMissing: boolean
}

interface Plan extends ListedChanges {
  updates: AccountUpdate[]
  teams: ReadonlyMap<string, number>
}

/** Returns what a list changes. @throws FaultyUsers with all faults, if there are any */
export async function checkChanges(db: Kysely<Database>, list: ChangeList, rules: UpdateRules): Promise<ListedChanges> {
  const { updates: _, teams: _teams, ...changes } = await plan(db, list, { ...rules, admins: await listAdmins(db) })
  return changes
}

/**
 * Changes the accounts of a list, all or none, each with audit entries. The consequences are those of `changeAccount`.
 * @param confirmed number of missing persons that the caller has confirmed
 * @throws FaultyUsers if the list has faults
 * @throws TOO_MANY_MISSING or MISSING_NOT_CONFIRMED if the number of missing persons differs from the confirmed one
 * @throws OWN_OCCURRENCE if the list would release the actor from an open mandatory occurrence
 */
export async function updateAccounts(
  db: Kysely<Database>,
  actor: Actor,
  list: ChangeList,
  { confirmed, ...rules }: UpdateRules & { confirmed: number | undefined },
): Promise<ListedChanges> {
  const { today } = rules
  // Assignments must be locked before accounts. Without locks the plan may miss persons whose accounts change meanwhile;
  // the daily job replaces them as responsible persons.
  const early = await plan(db, list, { ...rules, admins: await listAdmins(db) })
  const userIds = early.updates.filter(isLeaving).map(({ before }) => before.id)
  return db.transaction().execute(async (transaction) => {
    await lockExternalIds(transaction)
    await lockPersonnelNumbers(transaction)
    return handOver(transaction, actor, { userIds, today }, async () => {
      const admins = await lockAdmins(transaction)
      const { updates, teams, ...result } = await plan(transaction, list, { ...rules, admins, isLocking: true })
      const { missing, too_many_missing } = result
      if (rules.disablesMissing && missing !== (confirmed ?? 0)) {
        const refusal = too_many_missing ? TOO_MANY_MISSING : MISSING_NOT_CONFIRMED
        throw refusal.at('confirm_disabled', { missing })
      }
      await updateListed(
        transaction,
        updates.map(({ after }) => after),
      )
      const ended = updates.filter(
        ({ before, after }) =>
          before.disabled_on !== after.disabled_on && (isDisabled(before, today) || isDisabled(after, today)),
      )
      await deleteAccesses(
        transaction,
        ended.map(({ before }) => before.id),
      )
      await announceDisabled(transaction, { ids: ended.map(({ before }) => before.id), today })
      await moveTeams(transaction, actor, updates, { teams, today })
      await insertAuditEntries(transaction, actor, (await mapInTurns(updates, updateDeed)).flat())
      return result
    })
  })
}

/** Small, because the driver converts all rows of a statement without yielding */
const ACCOUNTS_AT_ONCE = 250

interface PlanOptions extends UpdateRules {
  admins: Admin[]
  isLocking?: boolean
}

async function plan(
  db: Kysely<Database>,
  { users, faults }: ChangeList,
  { admins, offered, today, callerId, disablesMissing, isLocking = false }: PlanOptions,
): Promise<Plan> {
  const names = users.flatMap(({ username }) => (username === undefined ? [] : nameKey(username)))
  const numbers = users.flatMap(({ personnel_number }) => personnel_number ?? [])
  const externalIds = users.flatMap(({ values }) => values.external_id ?? [])
  const ids = await findNamedIds(db, { names, numbers, externalIds, isLocking })
  const rows = await readInChunks(ids, (chunk) => listAccounts(db, chunk), ACCOUNTS_AT_ONCE)
  const memberships = await readInChunks(ids, (chunk) => listMembershipsOf(db, chunk), ACCOUNTS_AT_ONCE)
  const named = users.map(({ line, teams = [] }) => ({ line, teams }))
  const teams = await findTeamIds(db, named)
  for (const { name, team_id } of memberships) teams.set(name, team_id)
  const accounts = await runInTurns(joinInSteps(rows, memberships))
  const planned = await runInTurns(planUpdatesInSteps(users, accounts))
  const found = [...faults, ...planned.faults, ...missingTeams(named, teams)]
  found.push(...lostAdmins(planned.updates, admins, offered))
  if (found.length > 0) throw new FaultyUsers(sortFaults(found), 'Nichts geändert')

  const { updates, listed } = planned
  const missing = await listMissingAccounts(db, { listed, callerId, today, isLocking: isLocking && disablesMissing })
  const enabled = await countEnabled(db, today)
  if (disablesMissing) {
    for (const row of missing) {
      const before = { ...row, teams: [], fixed_teams: [] }
      updates.push({ line: null, before, after: { ...before, disabled_on: today } })
    }
  }
  const changes = (await mapInTurns(updates, changesOf)).flat()
  const leaving = updates.filter(isLeaving).map(({ before }) => before.id)
  const service_tokens = await listServiceTokensOf(db, leaving)
  return {
    updates,
    teams,
    changes,
    service_tokens,
    missing: missing.length,
    too_many_missing: missing.length * 10 > enabled,
  }
}

/** Returns the accounts with the names of their teams. Yields after each account and membership. */
function* joinInSteps(
  rows: Awaited<ReturnType<typeof listAccounts>>,
  memberships: Awaited<ReturnType<typeof listMembershipsOf>>,
): Generator<void, StoredAccount[]> {
  const accounts = new Map<number, StoredAccount>()
  for (const row of rows) {
    accounts.set(row.id, { ...row, teams: [], fixed_teams: [] })
    yield
  }
  for (const { user_id, name, role, by_hand } of memberships) {
    yield
    const account = accounts.get(user_id)
    if (account === undefined) continue
    if (!account.teams.includes(name)) account.teams.push(name)
    if (role === 'lead' || !by_hand) account.fixed_teams.push(name)
  }
  for (const account of accounts.values()) {
    account.teams.sort()
    yield
  }
  return [...accounts.values()]
}

function isLeaving({ before, after }: AccountUpdate): boolean {
  return after.disabled_on !== null && after.disabled_on !== before.disabled_on
}

/** Returns a fault for each account without which no administrator would be left. */
function lostAdmins(updates: AccountUpdate[], admins: Admin[], offered: AccountRules['offered']): RowFault[] {
  let rest = admins
  return updates.flatMap((update) => {
    const { line, before, after } = update
    const isLosing = before.is_admin && !after.is_admin
    if (line === null || !(isLosing || isLeaving(update))) return []
    const lost = vacatedRole(before.id, rest, offered)
    if (lost === undefined) {
      rest = rest.filter(({ id }) => id !== before.id)
      return []
    }
    const [field, sentences] = isLosing ? (['is_admin', KEEP_RIGHT] as const) : (['disabled_on', KEEP_ENABLED] as const)
    return [faultAt(line, field, 'last_admin', sentences[lost])]
  })
}

async function moveTeams(
  transaction: Transaction<Database>,
  actor: Actor,
  updates: AccountUpdate[],
  { teams, today }: { teams: ReadonlyMap<string, number>; today: string },
): Promise<void> {
  const membersOf = (from: 'before' | 'after', to: 'before' | 'after') =>
    updates.flatMap((update) => {
      const { id: user_id, username } = update.before
      const former = new Set(update[from].teams)
      const names = update[to].teams.filter((name) => !former.has(name))
      return names.map((name) => ({ user_id, username, name, team_id: teams.get(name) as number }))
    })
  const [joined, left] = [membersOf('before', 'after'), membersOf('after', 'before')]
  await keepOwnDuties(transaction, actor, () => endMemberships(transaction, left, today))
  await insertMembers(transaction, joined, today)
  const deeds = [
    ...left.map(({ username, name, team_id }): AuditedAction => {
      return { action: 'team.leave', target_id: team_id, target: name, details: { username } }
    }),
    ...joined.map(({ username, name, team_id }): AuditedAction => {
      return { action: 'team.join', target_id: team_id, target: name, details: { username, role: 'member' } }
    }),
  ]
  await insertAuditEntries(transaction, actor, deeds)
}

function updateDeed(update: AccountUpdate): AuditedAction[] {
  const { id, username } = update.before
  const values = changesOf(update).filter(({ field }) => field !== 'teams')
  if (values.length === 0) return []
  const details = detailsOf(Object.fromEntries(values.map(({ field, to }) => [field, to])))
  return [{ action: 'user.update', target_id: id, target: username, details }]
}
