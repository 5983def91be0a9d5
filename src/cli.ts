#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import type { ExportOptions } from './commands/export.js'
import { localizeProgram, localizeSubcommand } from './commands/help.js'
import type { UploadOptions } from './commands/uploads.js'
import type { AddOptions } from './commands/webhooks.js'
import type { Config } from './config.js'
import { EXPORT_FORMATS, type ExportFormat } from './domain/content/export-formats.js'
import { escapeControlCharacters } from './domain/text/printable.js'
import { VERSION } from './http/version.js'
import { JOBS } from './services/jobs/jobs.js'

const EXIT_REFUSED = 1
const EXIT_USAGE = 2
const AS_JSON = ['--json', 'Ausgabe als JSON, für Programme'] as const
const MUST_CHANGE = ['--must-change', 'das Passwort muss nach der Anmeldung zuerst geändert werden'] as const
const MAX_ENTRIES = 100_000
const MAX_ROW_ID = 2 ** 31 - 1

const print = (line: string) => process.stdout.write(`${escapeControlCharacters(line)}\n`)
// If the reader of the output exits early (`audit | head`), the command finishes silently.
let isOutputClosed = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  isOutputClosed = true
  process.exitCode = EXIT_REFUSED
})
// Commands load their modules when they run, so that the help appears at once.
const config = async (): Promise<Config> => (await import('./config.js')).readConfig(process.env)
const content = () => import('./commands/content.js')
const uploads = () => import('./commands/uploads.js')
const backups = () => import('./commands/backup.js')
const users = () => import('./commands/users.js')
const mails = () => import('./commands/mail.js')
const teams = () => import('./commands/teams.js')
const webhooks = () => import('./commands/webhooks.js')

const program = new Command('svc-training')
  .description('Trainingsdienst: Karteikarten, Quiz und Cheat Sheets')
  .version(VERSION, '-V, --version', 'die Version zeigen')
  .exitOverride()
localizeProgram(program)

program
  // `serve` is the default only without arguments: otherwise an unknown command would be an argument of `serve`.
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
  .command('import [Datei]')
  .description(
    'die Inhalte aus CONTENT_DIR einlesen, oder eine Datei: Anki-Paket, Tabelle (.xlsx, .csv), Fragen (Moodle XML, GIFT, Aiken) oder Archiv mit Markdown',
  )
  .option('--check', 'nur prüfen und zeigen, was sich ändern würde; nichts schreiben')
  .option('--force', 'CONTENT_DIR: auch mehr als die Hälfte der Karten archivieren')
  .option('--source <Nummer>', 'Datei: diese Quelle aktualisieren', wholeNumber(MAX_ROW_ID))
  .option('--new', 'Datei: eine neue Quelle anlegen, auch wenn es eine gleichen Namens gibt')
  .option('--name <Name>', 'Datei: Name der Quelle, sonst der der Datei')
  .option('--deck <Name>', 'Datei: alle Karten in dieses Deck')
  .option('--level <Level>', 'Datei: Level aller Karten')
  .option('--columns <Spalten>', 'Tabelle: was in den Spalten steht, etwa question,answer,-,level')
  .option('--separator <Zeichen>', 'Tabelle: tab, semicolon, comma oder pipe')
  .option('--active', 'Datei: neue Decks für alle einschalten, statt sie nur anzubieten')
  .option('--theirs', 'Datei: auch Karten ersetzen, die im Browser geändert wurden')
  .option('--mirror', 'Datei: archivieren, was die Quelle hatte und die Datei nicht mehr hat')
  .option(...AS_JSON)
  .action(async (file: string | undefined, options: UploadOptions & { force?: boolean }) => {
    refuseForeignOptions(file, options)
    if (file !== undefined) return (await uploads()).importFile(await config(), file, options, print)
    const { checkContent, importIntoStore } = await content()
    const run = options.check ? checkContent : importIntoStore
    await run(await config(), options, print)
  })

program
  .command('export <Datei>')
  .description('die Karten in eine Datei schreiben: .apkg für Anki, .csv als Tabelle, .zip als Ordner mit Markdown')
  .option('--deck <Slug>', 'nur dieses Deck')
  .option('--source <Nummer>', 'nur diese Quelle, als .zip mit Entwürfen und Fragenpools', wholeNumber(MAX_ROW_ID))
  .option('--user <Benutzername>', 'mit dem Fortschritt dieses Benutzers (nur .apkg)')
  .option('--format <Format>', 'apkg, csv oder markdown, wenn der Dateiname es nicht sagt', exportFormat)
  .option(...AS_JSON)
  .action(async (file: string, options: ExportOptions) =>
    (await import('./commands/export.js')).exportToFile(await config(), file, options, print),
  )

program
  .command('audit')
  .description('zeigen, was Administratoren getan haben, das Neueste zuerst')
  .option('--limit <Anzahl>', 'höchstens so viele Einträge', wholeNumber(MAX_ENTRIES), 100)
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

const jobs = program.command('jobs').description('Aufträge, die der Dienst sonst von selbst erledigt')

jobs
  .command('run <Auftrag>')
  .description(`einen Auftrag jetzt ausführen: ${Object.keys(JOBS).join(', ')}`)
  .option('--user <Benutzername>', 'nur für diesen Benutzer')
  .option(...AS_JSON)
  .action(async (name: string, options: { user?: string; json?: boolean }) =>
    (await import('./commands/jobs.js')).runJobNow(await config(), name, options, print),
  )

const source = program.command('source').description('verwalten, was aus Dateien importiert wurde')

source
  .command('list')
  .description('alle Quellen zeigen')
  .option(...AS_JSON)
  .action(async (options: { json?: boolean }) => (await uploads()).printSources(await config(), options, print))

source
  .command('delete')
  .argument('<Nummer>', 'der Quelle', wholeNumber(MAX_ROW_ID))
  .description('die Decks einer Quelle archivieren; ein neuer Import bringt sie zurück')
  .option('--purge', 'endgültig entfernen, mit allem Fortschritt')
  .option(...AS_JSON)
  .action(async (id: number, options: { purge?: boolean; json?: boolean }) =>
    (await uploads()).deleteSource(await config(), id, options, print),
  )

source
  .command('release')
  .argument('<Nummer>', 'der Quelle', wholeNumber(MAX_ROW_ID))
  .description('die Decks einer Quelle an CONTENT_DIR übergeben; gleichnamige Dateien übernehmen sie mit Fortschritt')
  .option(...AS_JSON)
  .action(async (id: number, options: { json?: boolean }) =>
    (await uploads()).handOverSource(await config(), id, options, print),
  )

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
  .command('author <Benutzername>')
  .description('das Schreiben von Inhalten erlauben')
  .option('--off', 'nicht mehr erlauben')
  .option(...AS_JSON)
  .action(async (username: string, options: { off?: boolean; json?: boolean }) =>
    (await users()).markAuthor(await config(), username, options, print),
  )

user
  .command('auditor <Benutzername>')
  .description('zum Prüfer machen: darf Stände und Nachweise aller Aufgaben lesen')
  .option('--until <Tag>', 'bis einschließlich zu diesem Tag, etwa 2026-12-31; ohne Angabe unbegrenzt')
  .option('--off', 'nicht mehr erlauben')
  .option(...AS_JSON)
  .action(async (username: string, options: { until?: string; off?: boolean; json?: boolean }) =>
    (await users()).markAuditor(await config(), username, options, print),
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
  .command('disable <Benutzername>')
  .description('ein Konto deaktivieren: Anmelden geht dann auf keinem Weg mehr')
  .option('--from <Tag>', 'erst ab diesem Tag, etwa 2026-12-31; ohne Angabe ab heute')
  .option('--off', 'das Konto wieder freigeben')
  .option(...AS_JSON)
  .action(async (username: string, options: { from?: string; off?: boolean; json?: boolean }) =>
    (await users()).disableUser(await config(), username, options, print),
  )

user
  .command('email <Benutzername> [Adresse]')
  .description('die E-Mail-Adresse eines Kontos setzen; mehrere Konten dürfen dieselbe haben')
  .option('--off', 'die Adresse entfernen')
  .option(...AS_JSON)
  .action(async (username: string, address: string | undefined, options: { off?: boolean; json?: boolean }) =>
    (await users()).setEmail(await config(), username, address, options, print),
  )

user
  .command('personnel-number <Benutzername> [Nummer]')
  .description('die Personalnummer eines Kontos setzen; jede gibt es nur einmal')
  .option('--off', 'die Nummer entfernen')
  .option(...AS_JSON)
  .action(async (username: string, number: string | undefined, options: { off?: boolean; json?: boolean }) =>
    (await users()).setPersonnelNumber(await config(), username, number, options, print),
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

const team = program.command('team').description('Teams verwalten')

team
  .command('list [Team]')
  .description('alle Teams zeigen, oder die Mitglieder eines Teams')
  .option(...AS_JSON)
  .action(async (name: string | undefined, options: { json?: boolean }) =>
    (await teams()).printTeams(await config(), name, options, print),
  )

team
  .command('add <Team>')
  .description('ein Team anlegen')
  .option('--group <Gruppe>', 'Gruppe beim Anbieter der Anmeldung, deren Personen Mitglieder sind')
  .option(...AS_JSON)
  .action(async (name: string, options: { group?: string; json?: boolean }) =>
    (await teams()).addTeam(await config(), name, options, print),
  )

team
  .command('delete <Team>')
  .description('ein Team löschen')
  .option(...AS_JSON)
  .action(async (name: string, options: { json?: boolean }) =>
    (await teams()).deleteTeam(await config(), name, options, print),
  )

team
  .command('release <Team>')
  .description('ein Team von SCIM lösen; seine Mitglieder bleiben')
  .option(...AS_JSON)
  .action(async (name: string, options: { json?: boolean }) =>
    (await teams()).releaseTeamByName(await config(), name, options, print),
  )

team
  .command('member <Team> <Benutzername>')
  .description('einen Benutzer in ein Team aufnehmen')
  .option('--lead', 'als Leitung')
  .option('--off', 'die Mitgliedschaft beenden')
  .option(...AS_JSON)
  .action(async (name: string, username: string, options: { lead?: boolean; off?: boolean; json?: boolean }) =>
    (await teams()).setTeamMember(await config(), name, username, options, print),
  )

const token = program.command('token').description('API-Token für andere Systeme')

token
  .command('scim')
  .description('einen Token für SCIM anlegen, mit dem ein Anbieter Konten und Teams verwaltet, und nur ihn ausgeben')
  .action(async () => (await import('./commands/tokens.js')).addScimToken(await config(), print))

const mail = program.command('mail').description('Mails ansehen und den Mailversand prüfen')

mail
  .command('test <Adresse>')
  .description('eine Testmail senden und zeigen, was der Mailserver antwortet')
  .option(...AS_JSON)
  .action(async (address: string, options: { json?: boolean }) =>
    (await mails()).testMail(await config(), address, options, print),
  )

mail
  .command('list')
  .description('die Mails der letzten 90 Tage zeigen, die neueste zuerst')
  .option('--state <Zustand>', 'nur waiting, sending, sent, failed oder unknown')
  .option('--limit <Anzahl>', 'höchstens so viele Mails', wholeNumber(MAX_ENTRIES), 100)
  .option(...AS_JSON)
  .action(async (options: { state?: string; limit: number; json?: boolean }) =>
    (await mails()).printMails(await config(), options, print),
  )

mail
  .command('resend <Nummer>')
  .description('eine Mail noch einmal senden, die gescheitert (failed) oder deren Ausgang unklar ist (unknown)')
  .option(...AS_JSON)
  .action(async (id: string, options: { json?: boolean }) =>
    (await mails()).resendMailNow(await config(), id, options, print),
  )

const webhook = program.command('webhook').description('Webhooks verwalten: andere Systeme erfahren, was geschieht')

webhook
  .command('add <Name> [Adresse]')
  .description('einen Webhook anlegen; ohne Adresse wird sie von der Standardeingabe gelesen')
  .option('--event <Ereignis...>', 'nur diese Ereignisse, etwa assignment.completed; ohne Angabe alle')
  .option('--teams', 'als Karte für einen Workflow von Microsoft Teams')
  .option('--names', 'mit den Namen der Personen')
  .option(...AS_JSON)
  .action(async (name: string, address: string | undefined, options: AddOptions) =>
    (await webhooks()).addWebhook(await config(), name, address, options, print),
  )

webhook
  .command('list')
  .description('alle Webhooks zeigen')
  .option(...AS_JSON)
  .action(async (options: { json?: boolean }) => (await webhooks()).printWebhooks(await config(), options, print))

webhook
  .command('remove <Nummer>')
  .description('einen Webhook löschen, mit allem, was noch wartet')
  .option(...AS_JSON)
  .action(async (id: string, options: { json?: boolean }) =>
    (await webhooks()).deleteWebhook(await config(), id, options, print),
  )

webhook
  .command('test <Nummer>')
  .description('ein Testereignis senden und zeigen, was der Empfänger antwortet')
  .option(...AS_JSON)
  .action(async (id: string, options: { json?: boolean }) =>
    (await webhooks()).testWebhook(await config(), id, options, print),
  )

for (const command of program.commands) localizeSubcommand(command)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = await report(error)
  // pg leaves its connection open if the server asks for a password and none is configured. The timer ends the process.
  setTimeout(() => process.exit(), 1_000).unref()
}

function exportFormat(text: string): ExportFormat {
  const format = EXPORT_FORMATS.find((one) => one === text)
  if (format !== undefined) return format
  throw new InvalidArgumentError(`Erwartet wird eines von ${EXPORT_FORMATS.join(', ')}.`)
}

function refuseForeignOptions(file: string | undefined, options: UploadOptions & { force?: boolean }): void {
  const { force, check: _check, json: _json, ...ofFile } = options
  const [name] = Object.keys(file === undefined ? ofFile : force === undefined ? {} : { force })
  if (name === undefined) return
  program.error(`--${name} ${file === undefined ? 'gilt nur für eine Datei' : 'gilt nur ohne Datei'}`)
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (Number.isInteger(number) && number >= 1 && number <= max) return number
    throw new InvalidArgumentError(`Erwartet wird eine ganze Zahl von 1 bis ${max}.`)
  }
}

/** Returns the exit status. Prints the error, unless Commander has printed it or the closed output has caused it. */
async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (isOutputClosed && (error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT_REFUSED
  return (await import('./commands/failure.js')).reportFailure(error, print)
}
