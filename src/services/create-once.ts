import { hash } from 'node:crypto'
import type { Transaction } from 'kysely'
import { findFormRequest, lockFormRequest, storeFormRequest } from '../../db/queries/form-requests.js'
import type { Database } from '../../db/types.js'
import { ClientIdUsed, type FormKind } from '../domain/form-requests.js'
import type { Details } from '../domain/refusal.js'
import { checkStorable } from '../domain/text/parameters.js'

/** Identifies the repetitions of a request that creates an object; undefined if the client sends no id. */
export type FormRequest = { user_id: number; client_id: string } | undefined

export function formRequestOf(user: { id: number }, body: { client_id?: string | undefined }): FormRequest {
  return body.client_id === undefined ? undefined : { user_id: user.id, client_id: body.client_id }
}

export interface Creation<Id extends number | undefined> {
  kind: FormKind
  /** The parsed request without its client id; its keys have a fixed order */
  input: object
  create: () => Promise<Id>
  /** Returns the values that name an object for the client; undefined if the object was deleted */
  name: (id: number) => Promise<Details | undefined>
}

/**
 * Creates an object unless a request with the same client id and input has created it already, and returns its id. If
 * that object was deleted since, creates a new one. Nothing is stored if `create` returns undefined. Must be the first
 * statement of the transaction, so that no other lock is held while it waits for a concurrent request.
 * @throws ClientIdUsed if the input of the earlier request was different
 */
export async function createOnce<Id extends number | undefined>(
  transaction: Transaction<Database>,
  request: FormRequest,
  { kind, input, create, name }: Creation<Id>,
): Promise<Id | number> {
  if (request === undefined) return create()
  checkStorable('client_id', request.client_id)
  const key = { ...request, kind }
  const body_hash = hash('sha256', JSON.stringify(input), 'buffer')
  await lockFormRequest(transaction, key)
  const known = await findFormRequest(transaction, key)
  const named = known && (await name(known.object_id))
  if (known !== undefined && named !== undefined) {
    if (!known.body_hash.equals(body_hash)) throw new ClientIdUsed(named)
    return known.object_id
  }
  const id = await create()
  if (id !== undefined) await storeFormRequest(transaction, { ...key, body_hash, object_id: id })
  return id
}
