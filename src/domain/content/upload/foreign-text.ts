import { decodeTable } from '../../table/index.js'

const AS_TABLE = 'Übertrage die Karten in eine Tabelle (.xlsx oder CSV) mit den Spalten Frage und Antwort'
const JSON_DATA = `Das sind Daten im Format JSON. ${AS_TABLE}.`
const MARKDOWN =
  'Das ist ein Text in Markdown. In einem Archiv (.zip) hochgeladen wird er ein Deck, wenn er Karten in der Schreibweise ' +
  `dieses Dienstes enthält, sonst ein Spickzettel. ${AS_TABLE}, wenn du andere Karten hast.`
const QUESTION_LINES = `Frage und Antwort stehen in dieser Datei untereinander in eigenen Zeilen. ${AS_TABLE}.`
const NO_COLUMNS = `Das ist ein Text, in dem keine Spalten zu erkennen sind. ${AS_TABLE}.`

/** A declared separator (Anki's text export, Excel): the file is a table. */
const DECLARED = /^(?:#[a-z ]{2,20}:|"?sep=)/i
const MAX_LINES = 200
/** A feature of a format must be in more than this share of the lines. */
const MOST = 0.5
/** Cells behind a separator; a comma followed by a space is punctuation. */
const COLUMNS = [/^\s*\S.*\t\s*\S/, /^\s*\S.*;\s*\S/, /^\s*\S.*,\S/, /\|\s*\S/]
const ANY_SEPARATOR = /[\t;|]|,\S/
/** Signs between question and answer that are no separators of tables, with their patterns */
const SIGNS: readonly [sign: string, pattern: RegExp][] = [
  ['::', /\S::/],
  ['→', /\S\s*→\s*\S/],
  ['=>', /\S\s*=>\s*\S/],
  ['->', /\S\s*->\s*\S/],
  ['–', /\S\s[–—]\s+\S/],
  ['-', /\S\s-{1,2}\s+\S/],
  ['=', /\S\s=\s+\S/],
  [':', /\S:\s+\S/],
]
const QUESTION_LINE = /^\s*(?:q|f|frage|question)\s*\d{0,3}\s*:/i
const ANSWER_LINE = /^\s*(?:a|antwort|answer)\s*\d{0,3}\s*:/i

const FRONT_MATTER = /^---\n(?:[\w-]+:[^\n]*\n|[ \t-][^\n]*\n|\n)+---(?:\n|$)/
const HEADING = /^#{1,6} +\S/
const TASK = /^\s*[-*+] \[[ xX]\] /
const MARKDOWN_LINE = /^(?:#{1,6} +\S|\s*[-*+] +\S|\s*\d{1,3}[.)] +\S|\s*>|\s*(?:`{3}|~{3}))/
/** Minimum share of lines with Markdown in a text with a heading or a task list */
const MARKDOWN_SHARE = 0.2

/**
 * Returns the format of a text that is no table and the remedy, in German; undefined for a table. A text in which one
 * separator of tables is in most lines is always a table.
 * @param head beginning of the file
 * @param isWhole whether `head` is the whole file
 * @example describeForeignText(Buffer.from('Hund;dog'), true) // undefined
 */
export function describeForeignText(head: Uint8Array, isWhole: boolean): string | undefined {
  const lastLine = head.lastIndexOf(0x0a)
  const decoded = decodeTable(isWhole || lastLine < 0 ? head : head.subarray(0, lastLine))
  if ('badLine' in decoded) return undefined
  const text = decoded.text.replace(/^\ufeff/, '')
  if (DECLARED.test(text)) return undefined
  if (isJson(text)) return JSON_DATA
  const lines = withoutQuotedCells(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
  if (lines.length === 0) return undefined
  const shareOf = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length / lines.length
  if (COLUMNS.some((pattern) => shareOf(pattern) > MOST)) return undefined
  if (isMarkdown(text, lines, shareOf)) return MARKDOWN
  if (shareOf(QUESTION_LINE) > 0.2 && shareOf(ANSWER_LINE) > 0.2) return QUESTION_LINES
  const commas = shareOfEqualCommas(lines)
  const sign = SIGNS.find(([, pattern]) => shareOf(pattern) > Math.max(MOST, commas))?.[0]
  if (sign !== undefined) {
    return (
      `Frage und Antwort sind in dieser Datei mit „${sign}“ getrennt. Ersetze „${sign}“ in einem Texteditor durch einen ` +
      'Tabulator und lade die Datei noch einmal hoch.'
    )
  }
  const isTable = commas > MOST || shareOf(ANY_SEPARATOR) > MOST || ANY_SEPARATOR.test(lines[0] ?? '')
  return isTable ? undefined : NO_COLUMNS
}

const JSON_TOKEN = /\s+|("(?:[^"\\\n]|\\.)*"?|-?\d[\d.eE+-]*|true|false|null|[a-z]+$)|([[{])|([\]}])|[,:]/y

/**
 * Returns whether the text is the beginning of JSON or of JSON lines. After a value, a table has a separator: one-line
 * values such as `{"a":1};ein Objekt` are cells.
 */
function isJson(text: string): boolean {
  let depth = 0
  JSON_TOKEN.lastIndex = 0
  while (JSON_TOKEN.lastIndex < text.length) {
    const at = JSON_TOKEN.lastIndex
    const match = JSON_TOKEN.exec(text)
    if (match === null) return false
    const [token, , opening, closing] = match
    if (opening !== undefined) {
      if (depth === 0 && !/^\s*$/.test(text.slice(text.lastIndexOf('\n', at) + 1, at))) return false
      depth++
    } else if (depth === 0 && token.trim() !== '') return false
    else if (closing !== undefined) depth--
  }
  return /^\s*[[{]/.test(text)
}

/** Replaces quoted cells, which may contain line breaks and separators, with a letter. */
function withoutQuotedCells(text: string): string {
  return text.replaceAll(/(^|[\t;,|])"(?:[^"]|"")*"(?=[\t;,|\n]|$(?!\n))/gm, '$1x')
}

function isMarkdown(text: string, lines: readonly string[], shareOf: (pattern: RegExp) => number): boolean {
  if (FRONT_MATTER.test(text)) return true
  return lines.some((line) => HEADING.test(line) || TASK.test(line)) && shareOf(MARKDOWN_LINE) >= MARKDOWN_SHARE
}

/** Returns the share of lines with the most common number of commas between texts. */
function shareOfEqualCommas(lines: readonly string[]): number {
  const counts = new Map<number, number>()
  for (const line of lines) {
    const commas = line.split(/,(?=\s*\S)/).length - 1
    if (commas > 0) counts.set(commas, (counts.get(commas) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values()) / lines.length
}
