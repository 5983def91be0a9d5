import type { Kysely, Transaction } from 'kysely'
import { isNameTaken } from '../../../db/errors.js'
import type { Actor } from '../../../db/queries/accounts/audit.js'
import { findListedAccount, type ListedAccount } from '../../../db/queries/accounts/list.js'
import { findByExternalId, lockExternalIds } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import type { GivenAccount } from '../../domain/accounts/accounts.js'
import { generatePassword } from '../../domain/accounts/passwords.js'
import { USER_NOT_FOUND, USERNAME_TAKEN } from '../../domain/accounts/refusals.js'
import { nameKey } from '../../domain/accounts/user-list.js'
import { CALLER_GONE, InvalidField } from '../../domain/refusal.js'
import { accountShare } from '../fair-turns.js'
import { type AccountRules, requireFreeKeys, storeAccount, updateAccount } from './change-account.js'
import { hashPassword } from './passwords.js'

export interface PutAccount {
  user: ListedAccount
  isNew: boolean
  /** Set only if the password was generated */
  password: string | null
}

type Described = Omit<GivenAccount, 'password' | 'must_change_password'>

/**
 * Changes the account with the external id under the conditions of `changeAccount`, or creates it. Only a new account
 * gets `password`, which is generated if absent, and `must_change_password`. Values that an account has already are not
 * written. A concurrent call with the same external id waits, so that both change the same account.
 * @param rules signal: cancels the creation when the client disconnects, because only the response contains the
 * generated password
 * @throws InvalidInput if a new account has no user name
 * @throws USERNAME_TAKEN if another account has the name
 * @throws USER_NOT_FOUND if the account is deleted in the meantime
 * @throws CALLER_GONE if the signal is aborted before the new account is stored
 */
export async function putAccount(
  db: Kysely<Database>,
  actor: Actor,
  { externalId, given }: { externalId: string; given: GivenAccount },
  { signal, ...rules }: AccountRules & { signal: AbortSignal },
): Promise<PutAccount> {
  const { password: chosen, must_change_password = true, ...values } = given
  const isNameMissing = values.username === undefined
  // Hashes before the transaction, so that no lock is held for long, but only if the account is probably new.
  const isKnown = isNameMissing || (await findByExternalId(db, externalId)) !== undefined
  const password = chosen ?? generatePassword()
  const hash = () => hashPassword(password, accountShare(actor.actor_id))
  const early = isKnown ? undefined : await hash()
  try {
    return await db.transaction().execute(async (transaction) => {
      await lockExternalIds(transaction)
      const id = await findByExternalId(transaction, externalId)
      if (id !== undefined) {
        await change(transaction, actor, { id, values }, rules)
        return { user: await find(transaction, id), isNew: false, password: null }
      }
      const account = describeNew(values)
      await requireFreeKeys(transaction, account)
      const password_hash = early ?? (await hash())
      const user = { ...account, must_change_password, external_id: externalId, password_hash }
      const created = await storeAccount(transaction, actor, user, rules.today)
      if (created === undefined) throw USERNAME_TAKEN
      if (signal.aborted) throw CALLER_GONE
      return { user: await find(transaction, created), isNew: true, password: chosen === undefined ? password : null }
    })
  } catch (error) {
    throw isNameTaken(error) ? USERNAME_TAKEN : error
  }
}

/** Returns the values of a new account. @throws InvalidInput if the user name is missing */
function describeNew({ username, display_name = username, ...given }: Described) {
  if (username === undefined || display_name === undefined) throw new InvalidField('username', 'fehlt')
  const { is_admin = false, is_author = false, is_auditor = false, extra_time_percent = 0 } = given
  const { disabled_on = null, email = null, personnel_number = null } = given
  const auditor_until = is_auditor ? (given.auditor_until ?? null) : null
  const rights = { is_admin, is_author, is_auditor, auditor_until }
  return { username, display_name, ...rights, extra_time_percent, disabled_on, email, personnel_number }
}

/** Changes the values that differ from those of the account. */
async function change(
  transaction: Transaction<Database>,
  actor: Actor,
  { id, values }: { id: number; values: Described },
  rules: AccountRules,
): Promise<void> {
  const before = await find(transaction, id)
  const differing = Object.entries(values).filter(([field, value]) => {
    if (field === 'username') return nameKey(value as string) !== nameKey(before.username)
    return value !== before[field as keyof Described]
  })
  if (differing.length === 0) return
  const changed: Described = Object.fromEntries(differing)
  const from = changed.username === undefined ? undefined : before.username
  await updateAccount(transaction, actor, { id, change: changed, from }, rules)
}

async function find(transaction: Transaction<Database>, id: number): Promise<ListedAccount> {
  const user = await findListedAccount(transaction, id)
  if (user === undefined) throw USER_NOT_FOUND
  return user
}
