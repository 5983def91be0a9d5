import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { FormKind } from '../../src/domain/form-requests.js'
import type { Database } from '../types.js'

// Raw SQL: an advisory lock is a function call without a table.

export interface FormRequestKey {
  user_id: number
  kind: FormKind
  client_id: string
}

/** Lets requests with the same client id wait for each other until the transaction ends. */
export async function lockFormRequest(
  transaction: Transaction<Database>,
  { user_id, kind, client_id }: FormRequestKey,
): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('svc-training form'), hashtext(${`${user_id} ${kind} ${client_id}`}))`.execute(
    transaction,
  )
}

export async function findFormRequest(
  db: Kysely<Database>,
  { user_id, kind, client_id }: FormRequestKey,
): Promise<Pick<Selectable<Database['form_requests']>, 'body_hash' | 'object_id'> | undefined> {
  return db
    .selectFrom('form_requests')
    .select(['body_hash', 'object_id'])
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .where('client_id', '=', client_id)
    .executeTakeFirst()
}

/** Stores the result of a request; replaces the one of an earlier request whose object was deleted. */
export async function storeFormRequest(
  transaction: Transaction<Database>,
  request: FormRequestKey & { body_hash: Buffer; object_id: number },
): Promise<void> {
  await transaction
    .insertInto('form_requests')
    .values(request)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'kind', 'client_id']).doUpdateSet((eb) => ({
        body_hash: eb.ref('excluded.body_hash'),
        object_id: eb.ref('excluded.object_id'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute()
}
