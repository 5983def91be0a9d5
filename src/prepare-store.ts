import type { Logger } from 'pino'
import type { OpenDatabase } from '../db/client.js'
import { migrateToLatest } from '../db/migrate.js'
import { hasEmergencyAdmin } from '../db/queries/accounts/login-methods.js'
import { hasUsers } from '../db/queries/accounts/users.js'
import { type Config, ConfigError } from './config.js'
import { formatFault, formatWarning } from './domain/content/findings.js'
import { FaultyContent } from './domain/content/refusals.js'
import { createFirstAdmin } from './services/accounts/first-admin.js'
import { importIntoEmptyStore } from './services/content/folder/import.js'
import { reportProgress } from './services/content/write.js'

/**
 * Prepares the store for the start: migrates it, creates the first administrator and imports the first content.
 * @param print prints a line for the operator
 * @throws ConfigError if password login is off and no administrator can log in by emergency access
 * @throws UnreadableContent, MediaFull and other errors of the first import, except FaultyContent, which is printed
 */
export async function prepareStore(
  config: Config,
  database: OpenDatabase,
  log: Logger,
  print: (line: string) => void,
): Promise<void> {
  const { db } = database
  await database.withoutLimit(migrateToLatest)
  const login = await createFirstAdmin(db, {
    configured: config.firstAdmin,
    mayGeneratePassword: config.databaseUrl === undefined,
  })
  if (login !== undefined) {
    print(`Erster Administrator: Benutzername ${login.username}, Passwort ${login.password}`)
    print('Das Passwort wird nur dieses eine Mal gezeigt.')
  } else if (!(await hasUsers(db))) {
    print(
      'Es gibt noch keinen Benutzer: ADMIN_USERNAME und ADMIN_PASSWORD setzen oder „svc-training user add“ aufrufen.',
    )
  }
  if (!config.passwordLogin && !(await hasEmergencyAdmin(db))) {
    throw new ConfigError(
      'PASSWORD_LOGIN: off braucht einen Administrator mit Notfallzugang (svc-training user emergency <Benutzername>)',
    )
  }
  await importFirst(config, database, log, print)
}

/**
 * Imports the content folder if the store has no content. Faulty content is logged and does not stop the service: the
 * store then has no content until a later import.
 */
async function importFirst(
  config: Config,
  { db }: OpenDatabase,
  log: Logger,
  print: (line: string) => void,
): Promise<void> {
  try {
    const stats = await importIntoEmptyStore(db, config.contentDir, {
      mediaMaxBytes: config.mediaMaxBytes,
      onProgress: reportProgress('Erster Import', print),
    })
    if (stats === undefined) return
    const { decks, cards, cheatsheets, tests, warnings } = stats
    if (warnings.length > 0) log.warn({ warnings }, 'first import left files out')
    for (const warning of warnings) print(formatWarning(warning))
    const created = [`${decks.created} Decks`, `${cards.created} Karten`, `${cheatsheets.created} Cheat Sheets`]
    if (tests !== undefined) created.push(`${tests.created} Tests`)
    print(`Inhalte importiert: ${created.join(', ')}`)
  } catch (error) {
    if (!(error instanceof FaultyContent)) throw error
    log.error({ faults: error.faults }, 'first import refused')
    print(error.message)
    for (const fault of error.faults) print(formatFault(fault))
  }
}
