import type { MultipleRule } from '../questions/judge.js'
import { isLabelTooLong, MAX_LABEL_LENGTH, MAX_SIDE_LENGTH } from '../text/limits.js'
import { hasControls, isStorable } from '../text/text.js'
import { isDay } from '../time/calendar.js'

/** Questions of a deck: all, those of a level, or the listed cards; each attempt draws `draw` of them. */
export interface TestSection {
  /** Slug */
  deck: string
  /** Null for all levels */
  level: string | null
  /** Keys of cards, as in the file of the deck; null for all */
  cards: string[] | null
  /** Number of questions to draw; null for all */
  draw: number | null
}

/** Definition of a test; plain JSON with all defaults filled in. */
export interface TestDefinition {
  name: string
  description: string
  /** Markdown that is shown before the start */
  introduction: string
  /** From 1 to 100 */
  pass_percent: number
  multiple: MultipleRule
  /** Null if unlimited */
  attempts: number | null
  wait_minutes: number
  /** Null without a time limit */
  time_limit_minutes: number | null
  shuffle: boolean
  /** `one`: one question per page; `all`: all on one page */
  pages: 'one' | 'all'
  access: 'open' | 'assigned'
  review: 'none' | 'result' | 'explanations'
  review_when: 'now' | 'passed_or_last' | 'closed'
  /** First and last day as `YYYY-MM-DD`; null without a limit */
  opens: string | null
  closes: string | null
  sections: TestSection[]
}

/** Values of the enumerations of a definition; the first of each is the default. */
export const CHOICES = {
  multiple: ['partial', 'all'],
  pages: ['one', 'all'],
  access: ['open', 'assigned'],
  review: ['explanations', 'result', 'none'],
  review_when: ['passed_or_last', 'now', 'closed'],
} as const

export const RANGES = {
  pass_percent: [1, 100],
  attempts: [1, 100],
  wait_minutes: [0, 525_600],
  time_limit_minutes: [1, 10_080],
  draw: [1, 500],
} as const

/** Value in files and requests that stands for `attempts: null` */
export const UNLIMITED = 'unlimited'
const DEFAULT_PASS_PERCENT = 80
const MAX_DESCRIPTION_LENGTH = 2_000
export const MAX_SECTIONS = 100
export const MAX_LISTED_CARDS = 1_000

/** Keys of a definition in the order of files, without the introduction */
export const DEFINITION_KEYS = [
  ...(['name', 'description', 'pass_percent', 'multiple', 'attempts', 'wait_minutes', 'time_limit_minutes'] as const),
  ...(['shuffle', 'pages', 'access', 'review', 'review_when', 'opens', 'closes', 'sections'] as const),
]
export const SECTION_KEYS = ['deck', 'level', 'cards', 'draw'] as const

/** A definition as written in a request or file; absent keys take their default values. */
export type DefinitionInput = Readonly<Record<string, unknown>>

/** Reports a fault in German; `section` is the index of the faulty section. */
export type ReportDefinition = (key: string, message: string, section?: number) => void

/**
 * Parses a definition and fills in the defaults.
 * @returns undefined if a fault was reported
 * @example parseDefinition({ name: 'Git', sections: [{ deck: 'git' }] }, () => {})?.pass_percent // 80
 */
export function parseDefinition(input: DefinitionInput, report: ReportDefinition): TestDefinition | undefined {
  let isFaulty = false
  const note: ReportDefinition = (...fault) => {
    isFaulty = true
    report(...fault)
  }
  const attempts = input.attempts === UNLIMITED ? null : input.attempts
  const definition: TestDefinition = {
    name: readLabel(input.name, 'name', note),
    description: readText(input.description, 'description', MAX_DESCRIPTION_LENGTH, note).trim(),
    introduction: readText(input.introduction, 'introduction', MAX_SIDE_LENGTH, note).trim(),
    pass_percent: readNumber(input.pass_percent, 'pass_percent', note) ?? DEFAULT_PASS_PERCENT,
    multiple: readWord(input.multiple, 'multiple', note),
    attempts: readNumber(attempts, 'attempts', note),
    wait_minutes: readNumber(input.wait_minutes, 'wait_minutes', note) ?? 0,
    time_limit_minutes: readNumber(input.time_limit_minutes, 'time_limit_minutes', note),
    shuffle: readFlag(input.shuffle, 'shuffle', note),
    pages: readWord(input.pages, 'pages', note),
    access: readWord(input.access, 'access', note),
    review: readWord(input.review, 'review', note),
    review_when: readWord(input.review_when, 'review_when', note),
    opens: readDay(input.opens, 'opens', note),
    closes: readDay(input.closes, 'closes', note),
    sections: readSections(input.sections, note),
  }
  const { opens, closes, review_when } = definition
  if (opens !== null && closes !== null && closes < opens) note('closes', '„closes“ liegt vor dem ersten Tag')
  if (review_when === 'closed' && closes === null && isAbsent(input.closes)) {
    note('review_when', '„review_when“ mit dem Wert closed braucht einen letzten Tag')
  }
  return isFaulty ? undefined : definition
}

/** Returns the definition with its keys in a fixed order, which the database does not preserve. */
export function orderKeys(definition: TestDefinition): TestDefinition {
  const { name, description, introduction, pass_percent, multiple, attempts, wait_minutes } = definition
  const { time_limit_minutes, shuffle, pages, access, review, review_when, opens, closes } = definition
  const sections = definition.sections.map(({ deck, level, cards, draw }) => ({ deck, level, cards, draw }))
  return {
    name,
    description,
    introduction,
    pass_percent,
    multiple,
    attempts,
    wait_minutes,
    time_limit_minutes,
    shuffle,
    pages,
    access,
    review,
    review_when,
    opens,
    closes,
    sections,
  }
}

const VARIANT_TEXTS = ['name', 'description', 'introduction'] as const
type VariantTexts = Pick<TestDefinition, (typeof VARIANT_TEXTS)[number]>

/** Keys of a definition that a variant takes from its original */
export const SHARED_KEYS = DEFINITION_KEYS.filter((key) => !VARIANT_TEXTS.some((text) => text === key))

/** Returns the definition of a variant: its texts, and the settings and sections of the original. */
export function toVariant({ name, description, introduction }: VariantTexts, original: TestDefinition): TestDefinition {
  return { ...original, name, description, introduction }
}

/** Returns the first key with a value that differs from the original's, although a variant takes it from there. */
export function findOwnSetting(variant: TestDefinition, original: TestDefinition): string | undefined {
  const [one, other] = [orderKeys(variant), orderKeys(original)]
  return SHARED_KEYS.find((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]))
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function readLabel(value: unknown, key: string, report: ReportDefinition, section?: number): string {
  if (isAbsent(value)) {
    report(key, `„${key}“ fehlt`, section)
    return ''
  }
  const label = typeof value === 'string' ? value.normalize('NFC').trim() : ''
  if (typeof value !== 'string') report(key, `„${key}“ muss ein Text sein`, section)
  else if (label === '') report(key, `„${key}“ darf nicht leer sein`, section)
  else if (isLabelTooLong(label)) {
    report(key, `„${key}“ darf höchstens ${MAX_LABEL_LENGTH} Zeichen lang sein`, section)
  } else if (!isStorable(label) || hasControls(label)) {
    report(key, `„${key}“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten`, section)
  }
  return label
}

function readText(value: unknown, key: string, maxLength: number, report: ReportDefinition): string {
  if (isAbsent(value)) return ''
  if (typeof value !== 'string') {
    report(key, `„${key}“ muss ein Text sein`)
    return ''
  }
  const text = value.replaceAll(/\r\n?/g, '\n').normalize('NFC')
  if (text.length > maxLength) {
    report(key, `„${key}“ darf höchstens ${maxLength.toLocaleString('de-DE')} Zeichen lang sein`)
  } else if (!isStorable(text)) report(key, `„${key}“ enthält ein Zeichen, das nicht gespeichert werden kann`)
  return text
}

function readNumber(
  value: unknown,
  key: keyof typeof RANGES,
  report: ReportDefinition,
  section?: number,
): number | null {
  if (isAbsent(value)) return null
  const [smallest, largest] = RANGES[key]
  if (typeof value === 'number' && Number.isInteger(value) && value >= smallest && value <= largest) return value
  const words = key === 'attempts' ? ` oder „${UNLIMITED}“ (unbegrenzt)` : ''
  const range = `zwischen ${smallest} und ${largest.toLocaleString('de-DE')}`
  report(key, `„${key}“ muss eine ganze Zahl ${range} sein${words}`, section)
  return null
}

function readWord<Key extends keyof typeof CHOICES>(value: unknown, key: Key, report: ReportDefinition) {
  const choices: readonly (typeof CHOICES)[Key][number][] = CHOICES[key]
  const choice = isAbsent(value) ? choices[0] : choices.find((word) => word === value)
  if (choice === undefined) report(key, `„${key}“ muss eines von ${choices.join(', ')} sein`)
  return choice ?? (choices[0] as (typeof CHOICES)[Key][number])
}

function readFlag(value: unknown, key: string, report: ReportDefinition): boolean {
  if (isAbsent(value)) return true
  if (typeof value !== 'boolean') report(key, `„${key}“ muss true oder false sein`)
  return value === true
}

function readDay(value: unknown, key: string, report: ReportDefinition): string | null {
  if (isAbsent(value)) return null
  if (typeof value === 'string' && isDay(value)) return value
  report(key, `„${key}“ muss ein Tag sein, etwa 2026-12-31`)
  return null
}

function readSections(value: unknown, report: ReportDefinition): TestSection[] {
  if (isAbsent(value)) report('sections', '„sections“ fehlt: die Abschnitte mit ihren Fragen')
  else if (!Array.isArray(value) || value.length === 0) {
    report('sections', '„sections“ muss eine Liste sein, etwa - { deck: datenschutz, draw: 8 }')
  } else if (value.length > MAX_SECTIONS) report('sections', `Ein Test hat höchstens ${MAX_SECTIONS} Abschnitte`)
  else return value.map((section, index) => readSection(section, index, report))
  return []
}

function readSection(value: unknown, index: number, report: ReportDefinition): TestSection {
  const input: DefinitionInput = typeof value === 'object' && value !== null ? (value as DefinitionInput) : {}
  const deck = readLabel(input.deck, 'deck', report, index)
  const level = isAbsent(input.level) ? null : readLabel(input.level, 'level', report, index)
  const cards = readCards(input.cards, index, report)
  const draw = readNumber(input.draw, 'draw', report, index)
  if (level !== null && cards !== null) {
    report('level', 'Ein Abschnitt hat entweder „level“ oder „cards“, nicht beides', index)
  }
  if (cards !== null && draw !== null && draw > cards.length) {
    report('draw', `„draw“ ist ${draw}, aber „cards“ nennt nur ${cards.length} Karten`, index)
  }
  return { deck, level, cards, draw }
}

function readCards(value: unknown, index: number, report: ReportDefinition): string[] | null {
  if (isAbsent(value)) return null
  if (!Array.isArray(value) || value.length === 0 || !value.every((key) => typeof key === 'string')) {
    report('cards', '„cards“ muss eine Liste von Karten sein, etwa [datenpanne, auskunft]', index)
    return null
  }
  if (value.length > MAX_LISTED_CARDS) {
    report('cards', `„cards“ nennt höchstens ${MAX_LISTED_CARDS.toLocaleString('de-DE')} Karten`, index)
  }
  const keys: string[] = value.map((key: string) => key.normalize('NFC').trim())
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) report('cards', `„cards“ nennt die Karte „${twice}“ zweimal`, index)
  const strange = keys.find((key) => !/^[a-z0-9-]{1,64}$/.test(key))
  if (strange !== undefined && isStorable(strange))
    report('cards', `„cards“: „${strange}“ ist keine Kennung einer Karte`, index)
  else if (strange !== undefined)
    report('cards', '„cards“ enthält ein Zeichen, das nicht gespeichert werden kann', index)
  return keys
}
