import { type Kysely, sql, type Transaction } from 'kysely'
import type { MailKind, NewMail } from '../../../src/domain/mail/mail.js'
import type { Database } from '../../types.js'

// Raw SQL: rows come from arrays (`unnest`), and updates join the person (`update … from`) with `skip locked`.

/**
 * Puts mails into the outbox, from which the job `send-mail` sends them. Skips a second mail of the same kind, person
 * and day, except for confirmations of addresses. Returns the ids of the inserted mails.
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

export interface ClaimedMail {
  id: number
  user_id: number
  kind: MailKind
  address: string
  display_name: string
  due_cards_mail_key: string | null
  subject: string
  body: string
  attempts: number
  claimed_at: Date
  created_at: Date
}

/** Filter for waiting mails that are due at the instant `at`; with `userId`, only mails of this user */
export interface DueMails {
  at: Date
  userId?: number | undefined
}

function isDue({ at, userId }: DueMails) {
  const due = sql<boolean>`mails.state = 'waiting' and mails.next_attempt_at <= ${at}`
  return userId === undefined ? due : sql<boolean>`${due} and mails.user_id = ${userId}`
}

/**
 * Marks all mails in the state `sending` as `unknown` and returns their number. The caller must hold the lease of the
 * job `send-mail`, so that these mails can only be those of an instance that has died or lost the lease.
 */
export async function markUnknown(db: Kysely<Database>, reply: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ state: 'unknown', answer: reply })
    .where('state', '=', 'sending')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Marks due mails that have become obsolete as failed, deletes their text and returns their number. */
export async function failObsoleteMails(db: Kysely<Database>, due: DueMails, today: string): Promise<number> {
  const isConfirmation = sql`kind = 'confirm_address'`
  const reason = sql`case
      when disabled_on <= ${today}::date then 'Das Konto ist deaktiviert'
      when email is null and not ${isConfirmation} then 'Das Konto hat keine E-Mail-Adresse mehr'
      when due_cards_mail_key is null and kind = 'due_cards' then 'Die Person hat diese Mails abbestellt'
      when exists (
        select from mails as newer
        where newer.user_id = mails.user_id and newer.kind = mails.kind and newer.id > mails.id and newer.state = 'waiting'
      ) then 'Eine neuere Mail ersetzt diese'
      when ${isConfirmation} and not exists (
        select from address_confirmations as pending
        where pending.user_id = mails.user_id and pending.address = mails.address
      ) then 'Die Adresse ist schon bestätigt oder zurückgenommen'
    end`
  const { numAffectedRows } = await sql`
    update mails set state = 'failed', body = null, answer = unwanted.reason
    from (
      select mails.id, ${reason} as reason from mails join users on users.id = mails.user_id where ${isDue(due)}
    ) as unwanted
    where mails.id = unwanted.id and unwanted.reason is not null and mails.state = 'waiting'`.execute(db)
  return Number(numAffectedRows)
}

export async function hasDueMail(db: Kysely<Database>, due: DueMails): Promise<boolean> {
  const first = await db.selectFrom('mails').select('id').where(isDue(due)).limit(1).executeTakeFirst()
  return first !== undefined
}

/**
 * Marks the mail that has been due for the longest time as `sending` and returns it; undefined if none is due. Replaces
 * the address with the current address of the account, except for a confirmation.
 */
export async function claimMail(
  db: Kysely<Database>,
  due: DueMails,
  claimedAt: Date,
): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<ClaimedMail>`
    update mails set state = 'sending', claimed_at = ${claimedAt}, attempts = attempts + 1,
      address = case when kind = 'confirm_address' then address else coalesce(email, address) end
    from users
    where users.id = user_id and mails.id = (
      select id from mails where ${isDue(due)} order by next_attempt_at, id limit 1 for update skip locked
    )
    returning mails.id, user_id, kind, address, display_name, due_cards_mail_key, subject, body, attempts, claimed_at,
      mails.created_at`.execute(db)
  return rows[0]
}

type Claim = Pick<ClaimedMail, 'id' | 'claimed_at'>

/**
 * Builds an update of a claimed mail. The update also applies if the lease of this instance has expired and another
 * instance has marked the mail as `unknown`.
 */
function updateClaimed(db: Kysely<Database>, { id, claimed_at }: Claim) {
  return db
    .updateTable('mails')
    .where('id', '=', id)
    .where('claimed_at', '=', claimed_at)
    .where('state', 'in', ['sending', 'unknown'])
}

export async function markSent(db: Kysely<Database>, claim: Claim, reply: string, sentAt: Date): Promise<void> {
  await updateClaimed(db, claim).set({ state: 'sent', body: null, answer: reply, sent_at: sentAt }).execute()
}

/**
 * Marks a mail as failed, because the mail server has not accepted it.
 * @param keepsBody whether the text stays, so that the mail can be sent again
 */
export async function markFailed(
  db: Kysely<Database>,
  claim: Claim,
  { reply, keepsBody }: { reply: string; keepsBody: boolean },
): Promise<void> {
  await updateClaimed(db, claim)
    .set({ state: 'failed', answer: reply, ...(!keepsBody && { body: null }) })
    .execute()
}

export async function markClaimUnknown(db: Kysely<Database>, claim: Claim, reply: string): Promise<void> {
  await updateClaimed(db, claim).set({ state: 'unknown', answer: reply }).execute()
}

export async function postponeMail(
  db: Kysely<Database>,
  claim: Claim,
  { reply, until }: { reply: string; until: Date },
): Promise<void> {
  await updateClaimed(db, claim).set({ state: 'waiting', answer: reply, next_attempt_at: until }).execute()
}

/** Puts the mail back into the queue and subtracts the attempt, which did not take place. */
export async function releaseMail(db: Kysely<Database>, claim: Claim): Promise<void> {
  await updateClaimed(db, claim).set({ state: 'waiting', attempts: sql`attempts - 1`, claimed_at: null }).execute()
}

/**
 * Postpones all due mails, because the mail server cannot be used.
 * @param failBefore day as `YYYY-MM-DD`; mails planned for an earlier day are marked as failed
 */
export async function postponeDueMails(
  db: Kysely<Database>,
  due: DueMails,
  { reply, until, failBefore }: { reply: string; until: Date; failBefore: string },
): Promise<void> {
  await sql`
    update mails set answer = ${reply}, next_attempt_at = ${until},
      state = case when day < ${failBefore}::date then 'failed' else state end
    where ${isDue(due)}`.execute(db)
}

export async function deleteOldMails(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mails')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('mails')
        .select('id')
        .where('created_at', '<', before)
        .where('state', '<>', 'sending')
        .orderBy('id')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
