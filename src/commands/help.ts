import { type Command, Help } from 'commander'
import { showControlCharacters } from '../domain/text/printable.js'

const TITLES: Record<string, string> = {
  'Usage:': 'Aufruf:',
  'Arguments:': 'Argumente:',
  'Options:': 'Optionen:',
  'Commands:': 'Befehle:',
}

const ENVIRONMENT = `
Umgebungsvariablen:
  DATABASE_URL        PostgreSQL-Server; ohne sie die eingebettete Datenbank
  DATABASE_POOL_MAX   Verbindungen zum Server (10)
  DATABASE_PREPARE    false hinter einem Pooler, der benannte Anweisungen nicht kennt (true)
  DATA_DIR            Ordner der eingebetteten Datenbank (./data)
  CONTENT_DIR         Ordner der Inhalte (die mitgelieferten)
  SESSION_SECRET      mindestens 32 Zeichen; mit DATABASE_URL erforderlich, mehrere durch Komma
  ADMIN_USERNAME, ADMIN_PASSWORD   der erste Administrator
  DATABASE_URL_FILE, SESSION_SECRET_FILE, ADMIN_PASSWORD_FILE   Dateien mit diesen Werten
  HOST, PORT          Adresse, an der der Dienst lauscht (127.0.0.1, 3000)
  TIME_ZONE           Zeitzone der Kalendertage (die des Systems)
  TRUST_PROXY         Adressen oder CIDR-Bereiche der Proxys davor
  CORS_ORIGIN         Ursprünge derselben Site, deren Seiten die API benutzen
  RATE_LIMIT          Anfragen je Sekunde und Adresse (5000); 0 schaltet die Grenze ab
  LOG_LEVEL           fatal, error, warn, info, debug, trace oder silent (info)
  SLOW_QUERY_MS       Anweisungen, die länger dauern, kommen ins Log (500)
  METRICS_PORT        Port, an dem Prometheus /metrics liest (keiner)
  SHUTDOWN_DELAY      Sekunden zwischen SIGTERM und dem Ende des Lauschens (0)`

const EXIT_STATUS = `
Rückgabewerte: 0 erledigt, 1 abgelehnt oder fehlgeschlagen, 2 falscher Aufruf`

/** Commander's own messages: what each looks like, and the same in German. */
const MESSAGES: [english: RegExp, german: string][] = [
  [/^error: unknown command '(.*)'/, 'Unbekannter Befehl "$1"'],
  [/^error: unknown option '(.*)'/, 'Unbekannte Option "$1"'],
  [/^error: missing required argument '(.*)'/, 'Es fehlt: <$1>'],
  [/^error: option '(.*)' argument missing/, 'Der Option "$1" fehlt ihr Wert'],
  [/^error: option '(.*)' argument '(.*)' is invalid\./, 'Option "$1": "$2" geht nicht.'],
  [/^error: too many arguments.* Expected (\d+) arguments? but got (\d+)\./, 'Zu viele Argumente: $2 statt $1'],
  [/\n\(Did you mean (?:one of )?(.*)\?\)/, '. Gemeint war vielleicht: $1'],
]
const IN_HELP: [english: string, german: string][] = [
  ['[options]', '[Optionen]'],
  ['[command]', '[Befehl]'],
  ['(default: ', '(Standard: '],
]

/** Help and messages in German, and what the sub-commands have in common at its end. */
export function speakGerman(program: Command): void {
  const { commandUsage, subcommandTerm, optionDescription } = Help.prototype
  program
    .helpOption('-h, --help', 'diese Hilfe zeigen')
    .helpCommand('help [Befehl]', 'die Hilfe zu einem Befehl zeigen')
    .configureHelp({
      styleTitle: (title) => TITLES[title] ?? title,
      commandUsage: (command) => translate(commandUsage.call(new Help(), command), IN_HELP),
      subcommandTerm: (command) => translate(subcommandTerm.call(new Help(), command), IN_HELP),
      optionDescription: (option) => translate(optionDescription.call(new Help(), option), IN_HELP),
    })
    .configureOutput({ outputError: (message, write) => write(showControlCharacters(translate(message, MESSAGES))) })
    .showHelpAfterError('Hilfe: svc-training --help')
    .addHelpText('after', `${ENVIRONMENT}\n${EXIT_STATUS}`)
}

/** The same for a sub-command that has been added. */
export function speakGermanToo(command: Command): void {
  command.helpOption('-h, --help', 'diese Hilfe zeigen').addHelpText('after', EXIT_STATUS)
  for (const inner of command.commands) speakGermanToo(inner)
}

function translate(text: string, words: [from: string | RegExp, to: string][]): string {
  return words.reduce((translated, [from, to]) => translated.replace(from, to), text)
}
