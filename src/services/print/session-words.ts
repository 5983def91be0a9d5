import type { Language } from '../../domain/text/language.js'

export interface SessionWords {
  /** Language of the document (BCP 47) */
  tag: string
  list: string
  content: (parts: string) => string
  day: string
  place: string
  instructor: string
  signature: string
  name: string
  missingCharacters: string
  numbered: (name: string, id: number) => string
  asOf: (title: string, day: string) => string
  page: (page: number, count: number) => string
}

export const SESSION_WORDS: Readonly<Record<Language, SessionWords>> = {
  de: {
    tag: 'de-DE',
    list: 'Teilnahmeliste',
    content: (parts) => `Inhalt: ${parts}`,
    day: 'Tag',
    place: 'Ort',
    instructor: 'Durchgeführt von',
    signature: 'Unterschrift',
    name: 'Name',
    missingCharacters: 'Einige Schriftzeichen zeigt dieses PDF nicht, sondern \ufffd. „Nr.“ ist die Nummer des Kontos.',
    numbered: (name, id) => `${name} (Nr. ${id})`,
    asOf: (title, day) => `${title}, Stand ${day}`,
    page: (page, count) => `Seite ${page} von ${count}`,
  },
  en: {
    tag: 'en-GB',
    list: 'List of participants',
    content: (parts) => `Content: ${parts}`,
    day: 'Date',
    place: 'Place',
    instructor: 'Conducted by',
    signature: 'Signature',
    name: 'Name',
    missingCharacters: 'This PDF shows \ufffd in place of some characters. “No.” is the number of the account.',
    numbered: (name, id) => `${name} (No. ${id})`,
    asOf: (title, day) => `${title}, as of ${day}`,
    page: (page, count) => `Page ${page} of ${count}`,
  },
}
