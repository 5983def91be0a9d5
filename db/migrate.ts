import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { migrations } from './migrations/index.js'
import type { Database } from './types.js'

/** The reason why this program cannot use the database; the message is one German line for the operator. */
export class UnusableDatabaseError extends Error {}

const NAMES = Object.keys(migrations).sort()
const FIRST = NAMES[0] ?? ''
const NEWEST = NAMES.at(-1) ?? ''

const OLDEST_POSTGRESQL = 15

/** End of the message about a database or backup from before the first release; its first migration has another name */
const FROM_DRAFT = 'stammt aus der Zeit vor der ersten Veröffentlichung, die dieses Programm nicht mehr lesen kann'

/**
 * Applies missing migrations in one transaction and returns their names. Instances that start at the same time wait for
 * each other on an advisory lock.
 * @throws UnusableDatabaseError if the schema is newer than the program or from before the first release, the server is
 * older than PostgreSQL 15, the encoding is not UTF-8, or the locale does not map Ä to ä
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<string[]> {
  await checkServer(db)
  await checkNotNewer(db)
  return migrate(db, migrations)
}

/**
 * Applies the migrations in `names`, so that the schema equals that of a backup.
 * @throws UnusableDatabaseError if a name is unknown, the target has other or newer migrations, the backup or the
 * target is from before the first release, or `migrateToLatest` would refuse the server
 */
export async function migrateTo(db: Kysely<Database>, names: string[]): Promise<void> {
  await checkServer(db)
  if (isDraft(names)) throw new UnusableDatabaseError(`Die Sicherung ${FROM_DRAFT}.`)
  const applied = await listAppliedMigrations(db)
  refuseDraft(applied)
  const isBehind = applied.every((name, index) => name === names[index])
  if (!isBehind) {
    throw new UnusableDatabaseError(
      'Das Schema des Ziels ist neuer als das der Sicherung: bitte in eine leere Datenbank oder einen leeren Datenordner einspielen.',
    )
  }
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    throw new UnusableDatabaseError(`Die Sicherung stammt von einer neueren Programmversion (${unknown.join(', ')}).`)
  }
  // The remaining migrations are applied by migrateToLatest after the restore.
  const wanted = Object.fromEntries(names.map((name) => [name, migrations[name] as Migration]))
  await migrate(db, wanted)
}

/** Maximum wait of a migration for a table lock. It is short, because a waiting lock request blocks later readers. */
const LOCK_TIMEOUT = '5s'

/**
 * Applies migrations. Disables the statement timeout that the role or database may set, because that timeout would end
 * a long migration at each attempt.
 */
async function migrate(db: Kysely<Database>, wanted: Record<string, Migration>): Promise<string[]> {
  const limited = Object.entries(wanted).map(([name, { up }]): [string, Migration] => [
    name,
    {
      up: async (transaction) => {
        await sql`
          select set_config('statement_timeout', '0', true),
            set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(transaction)
        await up(transaction)
      },
    },
  ])
  const migrator = new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(limited) } })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/**
 * Returns whether the newest known migration, or a newer one, has been applied.
 * @throws Error if the database cannot be reached or has no migration table
 */
export async function isMigrated(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ name: string | null }>`select max(name) as name from kysely_migration`.execute(db)
  return (rows[0]?.name ?? '') >= NEWEST
}

/** Returns the names of the applied migrations, in order; an empty array if the migration table does not exist. */
export async function listAppliedMigrations(db: Kysely<Database>): Promise<string[]> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(db)
  if (!tables[0]?.exists) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

export function isCurrent(applied: string[]): boolean {
  return applied.length === NAMES.length && applied.every((name, index) => name === NAMES[index])
}

async function checkServer(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ version: string; major: number; encoding: string; folds: boolean }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding, U&'\\00C4' ilike U&'\\00E4' as folds`.execute(db)
  const server = rows[0]
  if (server !== undefined && server.major < OLDEST_POSTGRESQL) {
    throw new UnusableDatabaseError(
      `DATABASE_URL: Der Server ist PostgreSQL ${server.version}, dieses Programm braucht ${OLDEST_POSTGRESQL} oder neuer.`,
    )
  }
  if (server?.encoding !== 'UTF8') {
    throw new UnusableDatabaseError(`Die Datenbank muss die Kodierung UTF8 haben, sie hat ${server?.encoding}.`)
  }
  if (!server.folds) {
    throw new UnusableDatabaseError(
      'Die Datenbank unterscheidet Ä und ä: Sie braucht eine Locale, die Umlaute kennt (z. B. LC_CTYPE C.UTF-8).',
    )
  }
}

async function checkNotNewer(db: Kysely<Database>): Promise<void> {
  const applied = await listAppliedMigrations(db)
  refuseDraft(applied)
  const unknown = applied.filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    throw new UnusableDatabaseError(
      `Das Schema der Datenbank ist neuer als dieses Programm (unbekannt: ${unknown.join(', ')}).`,
    )
  }
}

function refuseDraft(applied: string[]): void {
  if (isDraft(applied)) {
    throw new UnusableDatabaseError(`Das Schema der Datenbank ${FROM_DRAFT}: bitte eine leere Datenbank verwenden.`)
  }
}

function isDraft(names: string[]): boolean {
  return names.length > 0 && names[0] !== FIRST
}
