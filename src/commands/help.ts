import { type Command, Help } from 'commander'
import { escapeControlCharacters } from '../domain/text/printable.js'
import { listSettings } from '../settings.js'

const TITLES: Record<string, string> = {
  'Usage:': 'Aufruf:',
  'Arguments:': 'Argumente:',
  'Options:': 'Optionen:',
  'Commands:': 'Befehle:',
}

const EXIT_STATUS = `
Rückgabewerte: 0 erledigt, 1 abgelehnt oder fehlgeschlagen, 2 falscher Aufruf`

const MESSAGES: [english: RegExp, german: string][] = [
  [/^error: unknown command '(.*)'/, 'Unbekannter Befehl „$1“'],
  [/^error: unknown option '(.*)'/, 'Unbekannte Option „$1“'],
  [/^error: missing required argument '(.*)'/, 'Es fehlt: <$1>'],
  [/^error: option '(.*)' argument missing/, 'Der Option „$1“ fehlt ihr Wert'],
  [/^error: option '(.*)' argument '(.*)' is invalid\./, 'Option „$1“: „$2“ geht nicht.'],
  [/^error: command-argument value '(.*)' is invalid for argument '(.*)'\./, '<$2>: „$1“ geht nicht.'],
  [/^error: too many arguments.* Expected (\d+) arguments? but got (\d+)\./, 'Zu viele Argumente: $2 statt $1'],
  [/\n\(Did you mean (?:one of )?(.*)\?\)/, '. Gemeint war vielleicht: $1'],
]
const IN_HELP: [english: string, german: string][] = [
  ['[options]', '[Optionen]'],
  ['[command]', '[Befehl]'],
  ['(default: ', '(Standard: '],
]

export function localizeProgram(program: Command): void {
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
    .configureOutput({ outputError: (message, write) => write(escapeControlCharacters(translate(message, MESSAGES))) })
    .showHelpAfterError('Hilfe: svc-training --help')
    .addHelpText('after', `${describeSettings()}\n${EXIT_STATUS}`)
}

export function localizeSubcommand(command: Command): void {
  command.helpOption('-h, --help', 'diese Hilfe zeigen').addHelpText('after', EXIT_STATUS)
  for (const inner of command.commands) localizeSubcommand(inner)
}

function describeSettings(): string {
  const settings = listSettings()
  const width = Math.max(...settings.map(([name]) => name.length)) + 3
  const lines = settings.map(([name, { schema, german }]) => {
    const standard = german.default ?? schema.default ?? ''
    return `  ${name.padEnd(width)}${german.text}${standard === '' ? '' : ` (${standard})`}`
  })
  const files = settings.filter(([, { isSecret }]) => isSecret).map(([name]) => `${name}_FILE`)
  return `\nUmgebungsvariablen:\n${lines.join('\n')}\n\n  ${files.join(', ')}:\n  Dateien mit diesen Werten`
}

function translate(text: string, words: [from: string | RegExp, to: string][]): string {
  return words.reduce((translated, [from, to]) => translated.replace(from, to), text)
}
