import { type Kysely, sql } from 'kysely'
import type { Database } from '../../types.js'

/** By what a user may log in. */
export interface SignIn {
  /** Whether there is one; whether it is of use is another matter. */
  password: boolean
  passkeys: number
  /** The user has chosen that the password is refused. */
  passkey_only: boolean
  identities: number
  /** May log in by password although that is switched off. */
  emergency: boolean
}

/** Undefined when there is no such user. */
export async function findSignIn(db: Kysely<Database>, userId: number): Promise<SignIn | undefined> {
  const { rows } = await sql<SignIn>`
    select password_hash is not null as password, passkey_only, emergency,
      (select count(*)::integer from passkeys where user_id = users.id) as passkeys,
      (select count(*)::integer from identities where user_id = users.id) as identities
    from users where id = ${userId}`.execute(db)
  return rows[0]
}
