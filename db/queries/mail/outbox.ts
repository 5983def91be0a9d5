import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { NewMail } from '../../../src/domain/mail/mail.js'
import type { Database } from '../../types.js'

/**
 * Puts mails into the outbox, from which the job `send-mail` sends them. A second mail of the same kind, person and day
 * is left out. Returns the ids of the inserted ones.
 */
export async function insertMails(transaction: Transaction<Database>, mails: NewMail[]): Promise<number[]> {
  if (mails.length === 0) return []
  const column = (name: keyof NewMail) => mails.map((mail) => mail[name])
  const { rows } = await sql<{ id: number }>`
    insert into mails (user_id, kind, day, address, subject, body, next_attempt_at)
    select * from unnest(
      ${column('user_id')}::integer[], ${column('kind')}::text[], ${column('day')}::date[],
      ${column('address')}::text[], ${column('subject')}::text[], ${column('body')}::text[],
      ${column('next_attempt_at')}::timestamptz[]
    )
    on conflict (user_id, kind, day) where kind <> 'confirm_address' do nothing
    returning id`.execute(transaction)
  return rows.map(({ id }) => id)
}
