import { type Kysely, sql } from 'kysely'
import type { WaysIn } from '../../../src/domain/sign-in/ways-in.js'
import type { Database } from '../../types.js'

/** By what a user may log in. */
export type SignIn = WaysIn

/** Undefined when there is no such user. */
export async function findSignIn(db: Kysely<Database>, userId: number): Promise<SignIn | undefined> {
  const { rows } = await sql<SignIn>`
    select password_hash is not null as password, passkey_only, emergency,
      (select count(*)::integer from passkeys where user_id = users.id) as passkeys,
      (select count(*)::integer from identities where user_id = users.id) as identities
    from users where id = ${userId}`.execute(db)
  return rows[0]
}

/** Whether an administrator gets in by password although that is switched off. */
export async function hasEmergencyAdmin(db: Kysely<Database>): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('emergency', '=', true)
    .where('is_admin', '=', true)
    .where('passkey_only', '=', false)
    .where('password_hash', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
