import type { Command } from 'commander'

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

/** Help in German, and what the sub-commands have in common at its end. */
export function speakGerman(program: Command): void {
  program
    .helpOption('-h, --help', 'diese Hilfe zeigen')
    .helpCommand('help [Befehl]', 'die Hilfe zu einem Befehl zeigen')
    .configureHelp({ styleTitle: (title) => TITLES[title] ?? title })
    .addHelpText('after', `${ENVIRONMENT}\n${EXIT_STATUS}`)
}

/** The same for a sub-command that has been added. */
export function speakGermanToo(command: Command): void {
  command.helpOption('-h, --help', 'diese Hilfe zeigen').addHelpText('after', EXIT_STATUS)
  for (const inner of command.commands) speakGermanToo(inner)
}
