import type { DestinationStream } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { escapeControlCharacters } from './domain/text/printable.js'
import { shorten } from './domain/text/text.js'

type Entry = Record<string, unknown>

/** Maximum length of a message; longer ones are cut, because SQL statements of an import would fill the screen. */
const MAX_MESSAGE_LENGTH = 200

/** First source position in a stack trace */
const FIRST_PLACE = /\n\s+at .*?\(?((?:file:\/\/)?\/[^\s)]+:\d+:\d+)\)?/

/**
 * Returns a destination that formats each log entry as one short line, for a terminal. It runs in the main thread: the
 * worker thread of a pino transport would lose the last lines when the process ends.
 */
export function terminalLog(write: (text: string) => void, colorize = true): DestinationStream {
  const format = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    hideObject: true,
    messageFormat: (entry) => shorten(escapeControlCharacters(onOneLine(describe(entry))), MAX_MESSAGE_LENGTH),
  })
  return { write: (line) => write(format(line)) }
}

function describe(entry: Entry): string {
  const { level, time, pid, hostname, reqId, msg, err, ...details } = entry
  if (msg === 'request') return describeRequest(details)
  const rest =
    Object.keys(details).length > 0
      ? ` ${JSON.stringify(details, (_, value) => (typeof value === 'string' ? onOneLine(value) : value))}`
      : ''
  return `${msg ?? ''}${describeError(err as Entry | undefined)}${rest}`
}

function describeRequest({ method, path, status, durationMs, userId, abortedBy }: Entry): string {
  const who = userId === undefined ? '' : ` user ${userId}`
  return `${method} ${path} ${status} ${durationMs} ms${who}${abortedBy === undefined ? '' : ` aborted by ${abortedBy}`}`
}

function describeError(err: Entry | undefined): string {
  if (err === undefined) return ''
  const place = FIRST_PLACE.exec(String(err.stack))?.[1]
  return `: ${err.message}${place === undefined ? '' : ` (${place.replace('file://', '')})`}`
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
