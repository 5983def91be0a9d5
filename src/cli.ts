#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { BackupError } from '../db/backup.js'
import { EmbeddedStoreError } from '../db/embedded/index.js'
import { isDatabaseUnavailable } from '../db/errors.js'
import { UnusableDatabaseError } from '../db/migrate.js'
import { backUpStore, restoreStore } from './commands/backup.js'
import { checkContent, importIntoStore, migrateStore } from './commands/content.js'
import { printOpenapi } from './commands/openapi.js'
import { RefusedError } from './commands/store.js'
import { addUser, changePassword, printUsers, removeUser } from './commands/users.js'
import { type Config, ConfigError, readConfig } from './config.js'
import { FaultyContent, HttpError } from './errors.js'
import { serve } from './server.js'

const EXIT_REFUSED = 1
const EXIT_USAGE = 2

const print = (line: string) => process.stdout.write(`${line}\n`)
const config = (): Config => readConfig(process.env)

const program = new Command('svc-training')
  .description('Trainingsdienst: Karteikarten, Quiz und Cheat Sheets')
  .exitOverride()
  .showHelpAfterError()

program
  .command('serve', { isDefault: true })
  .description('den Dienst starten')
  .action(() => serve(config(), print))

program
  .command('migrate')
  .description('das Schema der Datenbank aktualisieren')
  .action(() => migrateStore(config(), print))

program
  .command('import')
  .description('die Inhalte aus CONTENT_DIR einlesen')
  .option('--check', 'nur prüfen, nichts schreiben')
  .action((options: { check?: boolean }) =>
    options.check ? checkContent(config(), print) : importIntoStore(config(), print),
  )

program
  .command('backup <file>')
  .description('den ganzen Datenbestand in eine Datei sichern (- für die Standardausgabe)')
  .action((file: string) => backUpStore(config(), file, print))

program
  .command('restore <file>')
  .description('eine Sicherung einspielen, auch in die andere Art von Datenbank (- für die Standardeingabe)')
  .option('--replace', 'löschen, was im Ziel ist')
  .action((file: string, options: { replace?: boolean }) =>
    restoreStore(config(), file, options.replace === true, print),
  )

program
  .command('openapi')
  .description('die OpenAPI-Beschreibung der Schnittstelle ausgeben')
  .action(() => printOpenapi(print))

const user = program.command('user').description('Benutzer verwalten')

user
  .command('add <username>')
  .description('einen Benutzer anlegen; das Passwort wird gefragt oder von der Standardeingabe gelesen')
  .option('--display-name <name>', 'Anzeigename (sonst der Benutzername)')
  .option('--admin', 'mit Administratorrechten')
  .action((username: string, options: { displayName?: string; admin?: boolean }) =>
    addUser(config(), username, options, print),
  )

user
  .command('list')
  .description('alle Benutzer zeigen')
  .action(() => printUsers(config(), print))

user
  .command('delete <username>')
  .description('einen Benutzer mit Fortschritt und Ergebnissen löschen')
  .action((username: string) => removeUser(config(), username, print))

user
  .command('password <username>')
  .description('ein neues Passwort setzen; es wird gefragt oder von der Standardeingabe gelesen')
  .action((username: string) => changePassword(config(), username, print))

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Says what went wrong in as few lines as possible; the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (error instanceof FaultyContent) {
    for (const { file, line, message } of error.faults) process.stderr.write(`${file}:${line}: ${message}\n`)
  }
  process.stderr.write(`${describe(error)}\n`)
  return EXIT_REFUSED
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isDatabaseUnavailable(error)) return `Die Datenbank ist nicht erreichbar: ${reason(error)}`
  const expected = [BackupError, ConfigError, EmbeddedStoreError, HttpError, RefusedError, UnusableDatabaseError]
  if (expected.some((kind) => error instanceof kind)) return error.message
  const { code, syscall, port } = error as NodeJS.ErrnoException & { port?: number }
  if (syscall === 'listen') return `HOST oder PORT: ${port} ist nicht benutzbar (${code})`
  return error.stack ?? error.message
}

/** An AggregateError, which Node gives for a host of several addresses, has no text of its own. */
function reason(error: Error): string {
  return error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join(', ') : error.message
}
