import { type Kysely, sql } from 'kysely'
import { countIdentities, type LoginMethods } from '../../../src/domain/sign-in/login-methods.js'
import type { Database } from '../../types.js'
import { OVERSIGHT, type OversightRoles } from './roles.js'

// Raw SQL: `array(select …)` and the shared columns `OVERSIGHT` are expressions of PostgreSQL.

export type SignIn = LoginMethods

/** Returns the login methods and the oversight roles of a user. Considers only identities of `issuer`. */
export async function findSignIn(
  db: Kysely<Database>,
  userId: number,
  issuer: string | undefined,
): Promise<(SignIn & OversightRoles) | undefined> {
  const { rows } = await sql<Omit<SignIn, 'identities'> & { issuers: string[] } & OversightRoles>`
    select password_hash is not null as password, passkey_only, emergency,
      (select count(*)::integer from passkeys where user_id = users.id) as passkeys,
      array(select issuer from identities where user_id = users.id) as issuers,
      ${OVERSIGHT}
    from users where id = ${userId}`.execute(db)
  if (rows[0] === undefined) return undefined
  const { issuers, ...ways } = rows[0]
  return { ...ways, identities: countIdentities(issuers, issuer) }
}

export async function hasEmergencyAdmin(db: Kysely<Database>): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('emergency', '=', true)
    .where('is_admin', '=', true)
    .where('passkey_only', '=', false)
    .where('password_hash', 'is not', null)
    .where('disabled_on', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
