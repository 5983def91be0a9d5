import type { PartKind } from '../../domain/assignments/assignment.js'
import { PART_NAMES } from '../../domain/assignments/part-state.js'
import type { Language } from '../../domain/text/language.js'

export interface CertificateWords {
  /** Language of the document (BCP 47) */
  tag: string
  certificate: string
  /** Alternative text of the logo if no name of the company is known */
  company: string
  revoked: string
  replacedBy: (code: string) => string
  name: string
  personnelNumber: string
  completedOn: string
  forPeriod: string
  validUntil: string
  unlimited: string
  missingCharacters: string
  parts: string
  partNames: Readonly<Record<PartKind, string>>
  /** What was done on a day; the texts continue with the version of the content or the instructor */
  sheetRead: (day: string) => string
  testPassed: (day: string) => string
  deckLearned: (day: string) => string
  instructed: (day: string, instructor: string) => string
  /** Language in which a part was done, with its title in that language; null if that is the title of the part */
  inLanguage: (lang: string, title: string | null) => string
  version: (version: number) => string
  qrCode: (address: string) => string
  compare: string
  enterCode: string
  issuedOn: (day: string) => string
}

const GERMAN_NAMES = new Intl.DisplayNames('de', { type: 'language' })
const ENGLISH_NAMES = new Intl.DisplayNames('en', { type: 'language' })

export const CERTIFICATE_WORDS: Readonly<Record<Language, CertificateWords>> = {
  de: {
    tag: 'de-DE',
    certificate: 'Nachweis',
    company: 'Firma',
    revoked: 'Dieser Nachweis wurde widerrufen.',
    replacedBy: (code) => `Dieser Nachweis wurde ersetzt durch ${code}.`,
    name: 'Name',
    personnelNumber: 'Personalnummer',
    completedOn: 'Abgeschlossen am',
    forPeriod: 'Nachgeholt für den Zeitraum',
    validUntil: 'Gültig bis',
    unlimited: 'unbegrenzt',
    missingCharacters:
      'Einige Schriftzeichen zeigt dieses PDF nicht, sondern \ufffd. Die Seite unten zeigt sie richtig.',
    parts: 'Bestandteile',
    partNames: PART_NAMES,
    sheetRead: (day) => `Gelesen und bestätigt am ${day}`,
    testPassed: (day) => `Test bestanden am ${day}`,
    deckLearned: (day) => `Deck gelernt am ${day}`,
    instructed: (day, instructor) => `Persönliche Unterweisung am ${day}, bestätigt von ${instructor}`,
    inLanguage: (lang, title) => `, auf ${GERMAN_NAMES.of(lang)}${title === null ? '' : ` („${title}“)`}`,
    version: (version) => `Fassung ${version}`,
    qrCode: (address) => `QR-Code mit der Adresse ${address}`,
    compare: 'Zum Vergleich mit diesem Blatt:',
    enterCode: 'Code auf der Seite /nachweis eingeben',
    issuedOn: (day) => `Ausgestellt am ${day}`,
  },
  en: {
    tag: 'en-GB',
    certificate: 'Certificate',
    company: 'company',
    revoked: 'This certificate has been revoked.',
    replacedBy: (code) => `This certificate has been replaced by ${code}.`,
    name: 'Name',
    personnelNumber: 'Personnel number',
    completedOn: 'Completed on',
    forPeriod: 'Made up for the period',
    validUntil: 'Valid until',
    unlimited: 'no end',
    missingCharacters: 'This PDF shows \ufffd in place of some characters. The page below shows them correctly.',
    parts: 'Parts',
    partNames: { sheet: 'Document', test: 'Test', deck: 'Deck', personal: 'Instruction' },
    sheetRead: (day) => `Read and confirmed on ${day}`,
    testPassed: (day) => `Test passed on ${day}`,
    deckLearned: (day) => `Deck learned on ${day}`,
    instructed: (day, instructor) => `Instructed in person on ${day}, confirmed by ${instructor}`,
    inLanguage: (lang, title) => `, in ${ENGLISH_NAMES.of(lang)}${title === null ? '' : ` (“${title}”)`}`,
    version: (version) => `version ${version}`,
    qrCode: (address) => `QR code with the address ${address}`,
    compare: 'To compare with this sheet:',
    enterCode: 'Enter the code on the page /nachweis',
    issuedOn: (day) => `Issued on ${day}`,
  },
}
