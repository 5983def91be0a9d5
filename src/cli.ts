#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { speakGerman, speakGermanToo } from './commands/help.js'
import type { Config } from './config.js'
import { showControlCharacters } from './domain/text/printable.js'
import { VERSION } from './version.js'

const EXIT_REFUSED = 1
const EXIT_USAGE = 2
const AS_JSON = ['--json', 'Ausgabe als JSON, für Programme'] as const
const MUST_CHANGE = ['--must-change', 'das Passwort muss nach der Anmeldung zuerst geändert werden'] as const
const MAX_AUDIT_ENTRIES = 100_000

const print = (line: string) => process.stdout.write(`${showControlCharacters(line)}\n`)
// Whoever read along has gone (`audit | head`): what runs comes to its end without a word.
let isAlone = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  isAlone = true
  process.exitCode = EXIT_REFUSED
})
// What a command needs is loaded when it runs: the help is there at once, without the service behind it.
const config = async (): Promise<Config> => (await import('./config.js')).readConfig(process.env)
const content = () => import('./commands/content.js')
const backups = () => import('./commands/backup.js')
const users = () => import('./commands/users.js')

const program = new Command('svc-training')
  .description('Trainingsdienst: Karteikarten, Quiz und Cheat Sheets')
  .version(VERSION, '-V, --version', 'die Version zeigen')
  .exitOverride()
speakGerman(program)

program
  // Only without any argument: an unknown command would be taken for an argument of the default one.
  .command('serve', { isDefault: process.argv.length === 2 })
  .description('den Dienst starten')
  .action(async () => {
    const settings = await config()
    await (await import('./server.js')).serve(settings, print)
  })

program
  .command('migrate')
  .description('das Schema der Datenbank aktualisieren')
  .option(...AS_JSON)
  .action(async (options: { json?: boolean }) => (await content()).migrateStore(await config(), options, print))

program
  .command('import')
  .description('die Inhalte aus CONTENT_DIR einlesen')
  .option('--check', 'nur prüfen und zeigen, was sich ändern würde; nichts schreiben')
  .option('--force', 'auch mehr als die Hälfte der Karten archivieren')
  .option(...AS_JSON)
  .action(async (options: { check?: boolean; force?: boolean; json?: boolean }) => {
    const { checkContent, importIntoStore } = await content()
    const run = options.check ? checkContent : importIntoStore
    await run(await config(), options, print)
  })

program
  .command('audit')
  .description('zeigen, was Administratoren getan haben, das Neueste zuerst')
  .option('--limit <Anzahl>', 'höchstens so viele Einträge', wholeNumber, 100)
  .option(...AS_JSON)
  .action(async (options: { limit: number; json?: boolean }) =>
    (await import('./commands/audit.js')).printAudit(await config(), options, print),
  )

program
  .command('backup <Datei>')
  .description('den ganzen Datenbestand in eine Datei sichern (- für die Standardausgabe)')
  .option(...AS_JSON)
  .action(async (file: string, options: { json?: boolean }) =>
    (await backups()).backUpStore(await config(), file, options, print),
  )

program
  .command('restore <Datei>')
  .description('eine Sicherung einspielen, auch in die andere Art von Datenbank (- für die Standardeingabe)')
  .option('--replace', 'löschen, was im Ziel ist')
  .option('--force', 'auch, während ein Dienst die Datenbank benutzt')
  .option(...AS_JSON)
  .action(async (file: string, options: { replace?: boolean; force?: boolean; json?: boolean }) =>
    (await backups()).restoreStore(await config(), file, options, print),
  )

program
  .command('openapi')
  .description('die OpenAPI-Beschreibung der Schnittstelle ausgeben')
  .action(async () => (await import('./commands/openapi.js')).printOpenapi(print))

const user = program.command('user').description('Benutzer verwalten')

user
  .command('add <Benutzername>')
  .description('einen Benutzer anlegen; das Passwort wird gefragt oder von der Standardeingabe gelesen')
  .option('--display-name <Name>', 'Anzeigename (sonst der Benutzername)')
  .option('--admin', 'mit Administratorrechten')
  .option(...MUST_CHANGE)
  .option(...AS_JSON)
  .action(
    async (
      username: string,
      options: { displayName?: string; admin?: boolean; mustChange?: boolean; json?: boolean },
    ) => (await users()).addUser(await config(), username, options, print),
  )

user
  .command('list')
  .description('alle Benutzer zeigen')
  .option(...AS_JSON)
  .action(async (options: { json?: boolean }) => (await users()).printUsers(await config(), options, print))

user
  .command('delete <Benutzername>')
  .description('einen Benutzer mit Fortschritt und Ergebnissen löschen')
  .option(...AS_JSON)
  .action(async (username: string, options: { json?: boolean }) =>
    (await users()).removeUser(await config(), username, options, print),
  )

user
  .command('password <Benutzername>')
  .description('ein neues Passwort setzen; es wird gefragt oder von der Standardeingabe gelesen')
  .option(...MUST_CHANGE)
  .option(...AS_JSON)
  .action(async (username: string, options: { mustChange?: boolean; json?: boolean }) =>
    (await users()).changePassword(await config(), username, options, print),
  )

user
  .command('emergency <Benutzername>')
  .description('die Anmeldung mit Passwort erlauben, auch wenn sie mit PASSWORD_LOGIN=off abgeschaltet ist')
  .option('--off', 'nicht mehr erlauben')
  .option(...AS_JSON)
  .action(async (username: string, options: { off?: boolean; json?: boolean }) =>
    (await users()).markEmergency(await config(), username, options, print),
  )

user
  .command('sessions <Benutzername>')
  .description('die Sitzungen eines Benutzers zeigen oder beenden')
  .option('--end [ID]', 'die Sitzung mit dieser ID beenden, ohne ID alle')
  .option(...AS_JSON)
  .action(async (username: string, options: { end?: string | true; json?: boolean }) =>
    (await users()).showSessions(await config(), username, options, print),
  )

user
  .command('tokens <Benutzername>')
  .description('die API-Token eines Benutzers zeigen oder löschen')
  .option('--end [ID]', 'den Token mit dieser ID löschen, ohne ID alle')
  .option(...AS_JSON)
  .action(async (username: string, options: { end?: string | true; json?: boolean }) =>
    (await users()).showTokens(await config(), username, options, print),
  )

for (const command of program.commands) speakGermanToo(command)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = await report(error)
  // pg leaves its connection open when the server asks for a password and there is none.
  setTimeout(() => process.exit(), 1_000).unref()
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= MAX_AUDIT_ENTRIES) return number
  throw new InvalidArgumentError(`Erwartet wird eine ganze Zahl von 1 bis ${MAX_AUDIT_ENTRIES}.`)
}

/** Says what went wrong; the exit status. */
async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (isAlone && (error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT_REFUSED
  return (await import('./commands/failure.js')).reportFailure(error, print)
}
