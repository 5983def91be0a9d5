import type { Kysely } from 'kysely'
import { updateUser } from '../../../db/queries/accounts/users.js'
import {
  countConfirmations,
  deleteConfirmation,
  findOwnMail,
  lockConfirmation,
  lockPerson,
  putConfirmation,
} from '../../../db/queries/mail/addresses.js'
import { insertMails } from '../../../db/queries/mail/outbox.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import { ADDRESS_NOT_OWN, CONFIRMATION_NOT_FOUND } from '../../domain/mail/own-refusals.js'
import { confirmationMail, instantInWords, type MailFrame } from '../../domain/mail/texts.js'
import { TooManyAttempts } from '../../domain/refusal.js'
import { createSecret, hashSecret, isSecret } from '../../domain/text/secrets.js'
import type { Moment } from '../../domain/time/calendar.js'

const HOURS_VALID = 24
const HOUR_MS = 3_600_000
/** Maximum number of confirmation mails per hour to one person or one address, so that mailboxes are not flooded */
const MAX_MAILS_PER_HOUR = 4

/**
 * Puts a mail with a confirmation link for a person's new address into the outbox. The current address stays until the
 * link is used. If the new address equals the current address, sends no mail and only cancels a pending confirmation.
 * @throws TooManyAttempts if 4 confirmation mails for the person or the address were created within the last hour
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function requestAddress(
  db: Kysely<Database>,
  { userId, email }: { userId: number; email: string },
  { moment, timeZone, ...frame }: { moment: Moment; timeZone: string } & MailFrame,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await lockPerson(transaction, userId))) throw NOT_LOGGED_IN
    const own = await findOwnMail(transaction, userId, moment.at)
    if (own?.email === email) return deleteConfirmation(transaction, userId)
    if ((await countConfirmations(transaction, userId, email)) >= MAX_MAILS_PER_HOUR) {
      throw new TooManyAttempts(HOUR_MS / 1000)
    }
    const token = createSecret()
    const expires_at = new Date(moment.at.getTime() + HOURS_VALID * HOUR_MS)
    await putConfirmation(transaction, {
      user_id: userId,
      address: email,
      token_hash: hashSecret(token),
      expires_at,
    })
    const text = confirmationMail({ token, expires: instantInWords(expires_at, timeZone, frame.language) }, frame)
    await insertMails(transaction, [
      {
        user_id: userId,
        kind: 'confirm_address',
        day: moment.today,
        address: email,
        ...text,
        next_attempt_at: moment.at,
      },
    ])
  })
}

/**
 * Sets the person's address to the confirmed address and deletes the confirmation. Returns the address.
 * @throws CONFIRMATION_NOT_FOUND if the token is unknown or has expired, or the account is deactivated
 */
export async function confirmAddress(db: Kysely<Database>, token: string, { at, today }: Moment): Promise<string> {
  if (!isSecret(token)) throw CONFIRMATION_NOT_FOUND
  return db.transaction().execute(async (transaction) => {
    const found = await lockConfirmation(transaction, hashSecret(token), at)
    if (found === undefined || isDisabled(found, today)) throw CONFIRMATION_NOT_FOUND
    const { user_id, address } = found
    await updateUser(transaction, user_id, { email: address, email_confirmed_at: at })
    return address
  })
}

/**
 * Removes the address that a person has confirmed. Does nothing if there is no address.
 * @throws ADDRESS_NOT_OWN if an administrator or the identity provider has set the address
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function removeAddress(db: Kysely<Database>, userId: number, { at }: Moment): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await lockPerson(transaction, userId))) throw NOT_LOGGED_IN
    const own = await findOwnMail(transaction, userId, at)
    if (own === undefined || own.email === null) return
    if (own.email_confirmed_at === null) throw ADDRESS_NOT_OWN
    await updateUser(transaction, userId, { email: null })
  })
}
