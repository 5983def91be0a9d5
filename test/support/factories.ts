import { hash } from 'node:crypto'
import argon2 from 'argon2'
import type { Insertable, Kysely } from 'kysely'
import type { Account } from '../../db/queries/accounts/users.js'
import type { Database } from '../../db/types.js'
import { hashPassword } from '../../src/services/accounts/passwords.js'
import { SEED } from './seed.js'

export const PASSWORD = 'geheim-genug'

type Overrides<T extends keyof Database> = Partial<Insertable<Database[T]>>

let costlyHash: Promise<string> | undefined
let passwordHash: Promise<string> | undefined

/** Returns a cheap hash of `PASSWORD`, which takes a millisecond to verify. */
export function hashOfPassword(): Promise<string> {
  passwordHash ??= argon2.hash(PASSWORD, { memoryCost: 1_024, timeCost: 2, parallelism: 1 })
  return passwordHash
}

/** Returns a hash of `PASSWORD` with the service's parameters, for tests of the duration or the load of logins. */
export function costlyHashOfPassword(): Promise<string> {
  costlyHash ??= hashPassword(PASSWORD)
  return costlyHash
}

let names = 0

/** Returns a name that no other call in this process returns. The names depend on the seed and are in no order. */
export function unique(prefix: string): string {
  names += 1
  return `${prefix}-${hash('sha256', `${SEED} ${names}`).slice(0, 10)}`
}

/** Creates a user with the password `PASSWORD`. */
export async function createUser(db: Kysely<Database>, overrides: Overrides<'users'> = {}): Promise<Account> {
  return db
    .insertInto('users')
    .values({
      username: unique('user'),
      display_name: 'Erika Muster',
      // Before the days that tests simulate, whatever today is: assignments concern only those who exist already.
      created_at: new Date('2026-01-01T00:00:00Z'),
      password_hash: overrides.password_hash ?? (await hashOfPassword()),
      ...overrides,
    })
    .returning(['id', 'username', 'display_name', 'is_admin', 'created_at'])
    .executeTakeFirstOrThrow()
}

export async function createDeck(db: Kysely<Database>, overrides: Overrides<'decks'> = {}) {
  return db
    .insertInto('decks')
    .values({ slug: unique('deck'), name: unique('Deck'), description: 'Ein Deck', ...overrides })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function createCard(db: Kysely<Database>, overrides: Overrides<'cards'> & { deck_id: number }) {
  return db
    .insertInto('cards')
    .values({ question: unique('Frage'), answer: unique('Antwort'), level: 'grundlagen', ...overrides })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Creates the cards of a deck in one statement, with ascending sort orders. Returns them in this order. */
export async function createCards(db: Kysely<Database>, deck_id: number, count: number) {
  const values = Array.from({ length: count }, (_, sort_order) => ({
    deck_id,
    question: unique('Frage'),
    answer: unique('Antwort'),
    level: 'grundlagen',
    sort_order,
  }))
  const cards = await db.insertInto('cards').values(values).returningAll().execute()
  return cards.sort((one, other) => one.sort_order - other.sort_order)
}

export async function createProgress(
  db: Kysely<Database>,
  values: Omit<Insertable<Database['card_progress']>, 'deck_id'>,
) {
  return db.insertInto('card_progress').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function createCheatsheet(db: Kysely<Database>, overrides: Overrides<'cheatsheets'> = {}) {
  return db
    .insertInto('cheatsheets')
    .values({ slug: unique('sheet'), title: unique('Titel'), category: 'Git', content_md: '# Text', ...overrides })
    .returningAll()
    .executeTakeFirstOrThrow()
}
