import type { Kysely, Selectable, Transaction } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { MAIL_STATES, type MailKind, type MailState } from '../../../src/domain/mail/mail.js'
import type { Database } from '../../types.js'
import { readInBatches } from '../read-in-batches.js'

export interface ListedMail extends Omit<Selectable<Database['mails']>, 'user_id' | 'subject' | 'body' | 'claimed_at'> {
  user: { id: number; username: string; display_name: string }
  has_text: boolean
}

/** @param before only mails with a lower id */
export async function listMails(
  db: Kysely<Database>,
  { state, before, limit }: { state?: MailState | undefined; before?: number | undefined; limit: number },
): Promise<ListedMail[]> {
  return readInBatches<ListedMail>((last, most) => readMails(db, state, last?.id ?? before, most), limit)
}

async function readMails(
  db: Kysely<Database>,
  state: MailState | undefined,
  before: number | undefined,
  limit: number,
): Promise<ListedMail[]> {
  return db
    .selectFrom('mails')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['mails.id', 'kind', 'day', 'address', 'state', 'attempts', 'next_attempt_at', 'sent_at', 'answer'])
    .select(['mails.created_at', ({ eb }) => eb('body', 'is not', null).$castTo<boolean>().as('has_text')])
    .select(({ ref }) => {
      const user = { id: ref('users.id'), username: ref('username'), display_name: ref('display_name') }
      return jsonBuildObject(user).as('user')
    })
    .$if(state !== undefined, (query) => query.where('state', '=', state as MailState))
    .$if(before !== undefined, (query) => query.where('mails.id', '<', before as number))
    .orderBy('mails.id', 'desc')
    .limit(limit)
    .execute()
}

export async function countMails(db: Kysely<Database>): Promise<Record<MailState, number>> {
  const rows = await db
    .selectFrom('mails')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  const counts = new Map(rows.map(({ state, count }) => [state, count]))
  return Object.fromEntries(MAIL_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<MailState, number>
}

export async function lockMail(
  transaction: Transaction<Database>,
  id: number,
): Promise<
  { id: number; user_id: number; username: string; kind: MailKind; state: MailState; has_text: boolean } | undefined
> {
  return transaction
    .selectFrom('mails')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['mails.id', 'user_id', 'username', 'kind', 'state'])
    .select((eb) => eb('body', 'is not', null).$castTo<boolean>().as('has_text'))
    .where('mails.id', '=', id)
    .forNoKeyUpdate('mails')
    .executeTakeFirst()
}

export async function resendMail(transaction: Transaction<Database>, id: number, at: Date): Promise<void> {
  await transaction
    .updateTable('mails')
    .set({ state: 'waiting', attempts: 0, next_attempt_at: at, claimed_at: null, answer: null })
    .where('id', '=', id)
    .execute()
}
