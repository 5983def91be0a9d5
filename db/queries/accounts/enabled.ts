import { type RawBuilder, sql } from 'kysely'

/**
 * Builds the condition that an account is enabled on a day (`YYYY-MM-DD`). `isDisabled` is the same rule in the domain.
 * @param users the table, or its alias in the statement
 */
export function isEnabled(today: string, users = 'users'): RawBuilder<boolean> {
  const disabledOn = sql.ref(`${users}.disabled_on`)
  return sql`(${disabledOn} is null or ${disabledOn} > ${today}::date)`
}
