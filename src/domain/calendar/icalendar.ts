import type { Language } from '../text/language.js'
import { daysBetween } from '../time/calendar.js'

/** An open occurrence of an assignment; the calendar contains an all-day event on its last day. */
export interface CalendarEvent {
  id: number
  title: string
  due_on: string
  extended_until: string | null
}

/** Name of the calendar */
const TASKS: Readonly<Record<Language, string>> = { de: 'Aufgaben', en: 'Tasks' }

const LINE_OCTETS = 75
/** Control characters that RFC 5545 forbids in texts, except line breaks, which `escapeText` escapes */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters in order to remove them
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g

/**
 * Writes an iCalendar file (RFC 5545) of all-day events.
 * @param host part of the UIDs after `@`, which makes them globally unique
 * @param language language of the words; titles stay as they are
 * @param today day of the timestamps (`YYYY-MM-DD`), so that the same events on the same day give identical files
 * @example writeCalendar([], { host: 'example.org', language: 'en', today: '2026-11-27' }).split('\r\n')[0] // 'BEGIN:VCALENDAR'
 */
export function writeCalendar(
  events: readonly CalendarEvent[],
  { host, language, today }: { host: string; language: Language; today: string },
): string {
  const tasks = TASKS[language]
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//svc-training//${tasks}//${language.toUpperCase()}`,
    'CALSCALE:GREGORIAN',
    `NAME:${tasks}`,
    `X-WR-CALNAME:${tasks}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT4H',
    'X-PUBLISHED-TTL:PT4H',
    ...events.flatMap((event) => linesOf(event, host, today)),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function linesOf({ id, title, due_on, extended_until }: CalendarEvent, host: string, today: string): string[] {
  const due = extended_until ?? due_on
  return [
    'BEGIN:VEVENT',
    `UID:aufgabe-${id}@${host}`,
    `DTSTAMP:${compact(today)}T000000Z`,
    // Increases with each change of the due day, which only moves to later days.
    `SEQUENCE:${Math.max(0, daysBetween(due_on, due))}`,
    `DTSTART;VALUE=DATE:${compact(due)}`,
    `SUMMARY:${escapeText(title)}`,
    // Calendars must not show the person as busy on the whole day.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

const compact = (day: string) => day.replaceAll('-', '')

/**
 * Escapes a value of type TEXT (RFC 5545, 3.3.11) and removes control characters.
 * @example escapeText('a, b') // 'a\\, b'
 */
function escapeText(text: string): string {
  return text
    .replaceAll(CONTROLS, '')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|\r|\n/g, '\\n')
}

/** Folds a line into lines of at most 75 octets (RFC 5545, 3.1) without splitting a code point. */
function fold(line: string): string {
  let folded = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > LINE_OCTETS) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += size
  }
  return folded
}
