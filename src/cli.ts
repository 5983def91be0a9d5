#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { BackupError } from '../db/backup.js'
import { EmbeddedStoreError } from '../db/embedded/index.js'
import { isDatabaseUnavailable } from '../db/errors.js'
import { UnusableDatabaseError } from '../db/migrate.js'
import { printAudit } from './commands/audit.js'
import { backUpStore, restoreStore } from './commands/backup.js'
import { checkContent, importIntoStore, migrateStore } from './commands/content.js'
import { speakGerman, speakGermanToo } from './commands/help.js'
import { printOpenapi } from './commands/openapi.js'
import { RefusedError } from './commands/store.js'
import { addUser, changePassword, printUsers, removeUser } from './commands/users.js'
import { type Config, ConfigError, readConfig } from './config.js'
import { FaultyContent, HttpError } from './domain/refusals.js'
import { serve } from './server.js'
import { VERSION } from './version.js'

const EXIT_REFUSED = 1
const EXIT_USAGE = 2
const AS_JSON = ['--json', 'Ausgabe als JSON, für Programme'] as const
const MAX_AUDIT_ENTRIES = 100_000

const print = (line: string) => process.stdout.write(`${line}\n`)
const config = (): Config => readConfig(process.env)

const program = new Command('svc-training')
  .description('Trainingsdienst: Karteikarten, Quiz und Cheat Sheets')
  .version(VERSION, '-V, --version', 'die Version zeigen')
  .exitOverride()
  .showHelpAfterError()
speakGerman(program)

program
  .command('serve', { isDefault: true })
  .description('den Dienst starten')
  .action(() => serve(config(), print))

program
  .command('migrate')
  .description('das Schema der Datenbank aktualisieren')
  .option(...AS_JSON)
  .action((options: { json?: boolean }) => migrateStore(config(), options, print))

program
  .command('import')
  .description('die Inhalte aus CONTENT_DIR einlesen')
  .option('--check', 'nur prüfen, nichts schreiben')
  .option(...AS_JSON)
  .action((options: { check?: boolean; json?: boolean }) =>
    options.check ? checkContent(config(), options, print) : importIntoStore(config(), options, print),
  )

program
  .command('audit')
  .description('zeigen, was Administratoren getan haben, das Neueste zuerst')
  .option('--limit <Anzahl>', 'höchstens so viele Einträge', wholeNumber, 100)
  .option(...AS_JSON)
  .action((options: { limit: number; json?: boolean }) => printAudit(config(), options, print))

program
  .command('backup <file>')
  .description('den ganzen Datenbestand in eine Datei sichern (- für die Standardausgabe)')
  .option(...AS_JSON)
  .action((file: string, options: { json?: boolean }) => backUpStore(config(), file, options, print))

program
  .command('restore <file>')
  .description('eine Sicherung einspielen, auch in die andere Art von Datenbank (- für die Standardeingabe)')
  .option('--replace', 'löschen, was im Ziel ist')
  .option(...AS_JSON)
  .action((file: string, options: { replace?: boolean; json?: boolean }) =>
    restoreStore(config(), file, options, print),
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
  .option(...AS_JSON)
  .action((username: string, options: { displayName?: string; admin?: boolean; json?: boolean }) =>
    addUser(config(), username, options, print),
  )

user
  .command('list')
  .description('alle Benutzer zeigen')
  .option(...AS_JSON)
  .action((options: { json?: boolean }) => printUsers(config(), options, print))

user
  .command('delete <username>')
  .description('einen Benutzer mit Fortschritt und Ergebnissen löschen')
  .option(...AS_JSON)
  .action((username: string, options: { json?: boolean }) => removeUser(config(), username, options, print))

user
  .command('password <username>')
  .description('ein neues Passwort setzen; es wird gefragt oder von der Standardeingabe gelesen')
  .option(...AS_JSON)
  .action((username: string, options: { json?: boolean }) => changePassword(config(), username, options, print))

for (const command of program.commands) speakGermanToo(command)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= MAX_AUDIT_ENTRIES) return number
  throw new InvalidArgumentError(`Erwartet wird eine ganze Zahl von 1 bis ${MAX_AUDIT_ENTRIES}.`)
}

/** Says what went wrong in as few lines as possible; the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (error instanceof FaultyContent && process.argv.includes('--json')) {
    print(JSON.stringify({ errors: error.faults }))
  } else if (error instanceof FaultyContent) {
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
  return error.stack ?? error.message
}

/** An AggregateError, which Node gives for a host of several addresses, has no text of its own. */
function reason(error: Error): string {
  return error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join(', ') : error.message
}
