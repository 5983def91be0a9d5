import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { countLines, isStorable } from '../../text/text.js'
import type { ReportFault } from '../types.js'
import { describeMistakes, describeSpecialStart, PAIRS_ONLY } from './yaml-mistakes.js'

/**
 * A value of front matter with the line of its key in the file. `value` is the parsed scalar; undefined for a faulty
 * value or a list of scalars, `[]` for a list of mappings. `text` is the content of a string, or the source text of a
 * number or boolean; otherwise it is empty.
 */
export interface Field {
  value: unknown
  text: string
  line: number
  /** Entries of a list of scalars, converted to strings like `text`; set only for the keys in `LISTS` */
  list?: string[] | undefined
  entries?: Fields[] | undefined
}

export type Fields = Map<string, Field>

/** Allowed keys of front matter; `{ key: keys }` stands for a list of mappings with these keys */
export type KnownKeys = readonly (string | Readonly<Record<string, readonly string[]>>)[]

export interface FrontMatter {
  /** Keys and values; undefined if there is no front matter or it cannot be read */
  fields: Fields | undefined
  body: string
  /** Line of the file where the body starts, from 1 */
  bodyLine: number
}

const FENCE = /^---[ \t]*$/
const FENCE_AFTER_BLANK_LINES = /^\s+---[ \t]*(?:\n|$)/
/** Maximum length of the YAML in UTF-16 code units; the parser needs many times the size of the text in memory */
export const MAX_LENGTH = 65_536
const LISTS = ['aliases', 'cards']
const INT4_MIN = -(2 ** 31)
const INT4_MAX = 2 ** 31 - 1

/**
 * Splits a file into front matter and body. A file without front matter consists of the body. If the front matter
 * follows blank lines or is not closed, reports a fault and returns undefined.
 * @example splitFrontMatter('---\nname: Git\n---\nText', ['name'], () => {})?.body // 'Text'
 */
export function splitFrontMatter(text: string, known: KnownKeys, report: ReportFault): FrontMatter | undefined {
  if (!FENCE.test(takeLine(text, 0))) {
    if (!FENCE_AFTER_BLANK_LINES.test(text)) return { fields: undefined, body: text, bodyLine: 1 }
    report(1, 'Das Front Matter muss in der ersten Zeile beginnen')
    return undefined
  }
  const start = takeLine(text, 0).length + 1
  for (let at = start; at < text.length; ) {
    const line = takeLine(text, at)
    const next = at + line.length + 1
    if (FENCE.test(line)) {
      const fields = readFields(text.slice(start, at), known, report)
      return { fields, body: text.slice(next), bodyLine: countLines(text.slice(0, at)) + 1 }
    }
    at = next
  }
  report(1, 'Das Front Matter ist nicht geschlossen: es fehlt eine Zeile ---')
  return undefined
}

function takeLine(text: string, start: number): string {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.slice(start) : text.slice(start, end)
}

/** Reads `key: value` pairs. YAML aliases are never resolved, so a document cannot expand exponentially. */
function readFields(yaml: string, known: KnownKeys, report: ReportFault): Fields | undefined {
  if (yaml.length > MAX_LENGTH) {
    report(1, `Das Front Matter ist länger als ${MAX_LENGTH} Zeichen`)
    return undefined
  }
  const lines = new LineCounter()
  // The opening fence is line 1 of the file.
  const lineAt = (offset: number) => lines.linePos(Math.min(offset, yaml.length)).line + 1
  const document = parseYaml(yaml, lines)
  if (document === undefined) {
    report(1, 'Das Front Matter ist kein gültiges YAML')
    return undefined
  }
  const mistakes = describeMistakes(yaml, [...document.errors, ...document.warnings], lines)
  // Lines of mistakes count from 0 within the YAML, which starts on line 2 of the file.
  for (const { line, message } of mistakes) report(line + 2, message)
  if (mistakes.length > 0) return undefined

  const fields: Fields = new Map()
  if (document.contents === null) return fields
  if (!isMap(document.contents)) {
    if (isScalar(document.contents) && document.contents.value === null) return fields
    report(lineAt(document.contents.range?.[0] ?? 0), PAIRS_ONLY)
    return undefined
  }
  return readPairs(document.contents, known, { lineAt, report }, fields)
}

interface Reading {
  lineAt: (offset: number) => number
  report: ReportFault
}

function readPairs({ items }: YAMLMap, known: KnownKeys, reading: Reading, fields: Fields = new Map()): Fields {
  const { lineAt, report } = reading
  const names = known.flatMap((key) => (typeof key === 'string' ? key : Object.keys(key)))
  for (const { key, value } of items) {
    const line = lineAt(isNode(key) ? (key.range?.[0] ?? 0) : 0)
    if (!isScalar(key)) {
      report(line, PAIRS_ONLY)
      continue
    }
    const name = String(key.value)
    if (!names.includes(name)) report(line, `Unbekannter Schlüssel „${name}“ (erlaubt: ${names.join(', ')})`)
    else if (fields.has(name)) report(line, `Der Schlüssel „${name}“ steht mehrfach im Front Matter`)
    else fields.set(name, readField(name, value, line, known, reading))
  }
  return fields
}

/**
 * Reads the value of a key. If the value is neither a scalar nor a list that this key may have, or is a YAML anchor
 * without a value, reports a fault and returns a field whose value is undefined.
 */
function readField(name: string, node: unknown, line: number, known: KnownKeys, reading: Reading): Field {
  const { report } = reading
  const nested = known.flatMap((key) => (typeof key === 'string' ? [] : (key[name] ?? [])))
  if (node === null) return { value: null, text: '', line }
  if (isScalar(node) && (node.anchor === undefined || node.value !== null)) {
    return { value: node.value, text: readText(node.value, node.source), line }
  }
  if (isSeq(node) && nested.length > 0)
    return { value: [], text: '', line, entries: readMaps(node, nested, line, reading) }
  if (isSeq(node) && LISTS.includes(name)) return { value: undefined, text: '', line, list: readEntries(node) }
  if (isAlias(node)) report(line, describeSpecialStart('*'))
  else if (isScalar(node)) report(line, describeSpecialStart('&'))
  else report(line, `„${name}“ muss ein einzelner Wert sein`)
  return { value: undefined, text: '', line }
}

function readMaps({ items }: YAMLSeq, known: readonly string[], line: number, reading: Reading): Fields[] {
  return items.flatMap((item) => {
    if (isMap(item)) return readPairs(item, known, reading)
    const offset = isNode(item) ? item.range?.[0] : undefined
    reading.report(
      offset === undefined ? line : reading.lineAt(offset),
      'Ein Eintrag der Liste hat die Form { schlüssel: wert }',
    )
    return []
  })
}

function readEntries({ items }: YAMLSeq): string[] | undefined {
  if (!items.every((item) => isScalar(item))) return undefined
  return items.map((item) => readText(item.value, item.source))
}

function parseYaml(yaml: string, lineCounter: LineCounter) {
  try {
    return parseDocument(yaml, { lineCounter, prettyErrors: false, uniqueKeys: false, version: '1.2' })
  } catch {
    // Very deep nesting overflows the parser's stack.
    return undefined
  }
}

/** Returns a scalar as string: the source text for `name: 2024` or `slug: 007`, which YAML parses as numbers. */
function readText(value: unknown, source: string | undefined): string {
  if (typeof value === 'string') return value
  return value === null ? '' : (source ?? String(value))
}

/**
 * Returns the text of a key. Returns undefined if the key is absent or its value is faulty. Reports a fault if the text
 * is empty or not storable.
 */
export function readTextField(fields: Fields, key: string, report: ReportFault): string | undefined {
  const field = fields.get(key)
  // If the value is undefined, its fault has already been reported.
  if (field === undefined || field.value === undefined) return undefined
  if (field.text.trim() === '') {
    report(field.line, `„${key}“ darf nicht leer sein`)
    return undefined
  }
  return requireStorable(field, key, report) ? field.text : undefined
}

/**
 * Returns the text of a key, which may be empty. Returns an empty string if the key is absent or its value is faulty.
 * Reports a fault if the text is not storable.
 */
export function readOptionalText(fields: Fields, key: string, report: ReportFault): string {
  const field = fields.get(key)
  return field !== undefined && requireStorable(field, key, report) ? field.text : ''
}

/**
 * Returns the entries of a list as strings, with the line of the key. Returns no entries if the key is absent or has no
 * value, or if the value is not a list of scalars, which is reported as a fault.
 */
export function readList(fields: Fields, key: string, report: ReportFault): { texts: string[]; line: number } {
  const field = fields.get(key)
  if (field === undefined || field.value === null) return { texts: [], line: field?.line ?? 1 }
  const { list, line } = field
  if (list === undefined) report(line, `„${key}“ muss eine Liste in eckigen Klammern sein, etwa [alter-name]`)
  return { texts: list ?? [], line }
}

/**
 * Returns a 32-bit integer, the range of a PostgreSQL `integer`. Returns `fallback` if the key is absent. Reports a
 * fault and returns `fallback` if the value is not a 32-bit integer.
 */
export function readInteger(fields: Fields, key: string, fallback: number, report: ReportFault): number {
  const field = fields.get(key)
  if (field === undefined || field.value === undefined) return fallback
  const { value, line } = field
  // Adding 0 turns -0 into 0.
  if (typeof value === 'number' && Number.isInteger(value) && value >= INT4_MIN && value <= INT4_MAX) return value + 0
  report(line, `„${key}“ muss eine ganze Zahl zwischen ${INT4_MIN} und ${INT4_MAX} sein`)
  return fallback
}

/** Returns a boolean; false if the key is absent, or if the value is not a boolean, which is reported as a fault. */
export function readFlag(fields: Fields, key: string, report: ReportFault): boolean {
  const field = fields.get(key)
  if (field === undefined || field.value === undefined) return false
  if (typeof field.value === 'boolean') return field.value
  report(field.line, `„${key}“ muss true oder false sein`)
  return false
}

/**
 * Returns whether the text is storable; otherwise reports a fault. YAML escapes can express NUL and lone surrogates,
 * which PostgreSQL cannot store.
 */
function requireStorable(field: Field, key: string, report: ReportFault): boolean {
  if (isStorable(field.text)) return true
  report(field.line, `„${key}“ enthält ein Zeichen, das nicht gespeichert werden kann`)
  return false
}
