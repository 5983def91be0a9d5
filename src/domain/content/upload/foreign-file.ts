import { findPictureType } from '../../pictures/index.js'
import type { Details } from '../../refusal.js'
import { decodeTable, readAnkiHeader } from '../../table/index.js'

/** Type of a file that the service does not read, with the remedy */
export interface ForeignType {
  /** German sentence with the remedy */
  message: string
  /** `kind` names the remedy; the values are those of the message */
  details: Details & { kind: string }
}

/** A type whose cards the author copies into a table */
const toCopy = (what: string, type: string) => ({
  message: `Das ${what}. ${AS_TABLE}.`,
  details: { kind: 'as_table', type },
})
/** A type that another program can save as a table */
const toSave = (what: string, type: string) => ({
  message: `Das ist ${what}. Speichere sie als .xlsx oder CSV ${AGAIN}.`,
  details: { kind: 'save_as', type },
})
const toUnpack = (type: string) => ({
  message: `Das ist ein Archiv im Format ${type}. Packe es aus und lade die Datei darin hoch.`,
  details: { kind: 'unpack', type },
})
/** Questions of another program */
const toExport = (what: string, remedy: string, type: string) => ({
  message: `Das ${what}. ${QUESTIONS}; ${remedy}.`,
  details: { kind: 'questions', type },
})

const AGAIN = 'und lade sie noch einmal hoch'
const QUESTIONS = 'Fragen kommen aus Moodle-XML, GIFT, Aiken oder einer Tabelle (.xlsx oder CSV)'
const AS_TABLE = 'Übertrage die Karten in eine Tabelle (.xlsx oder CSV) mit den Spalten Frage und Antwort'

const BINARY: readonly [beginning: string, type: ForeignType][] = [
  ['%PDF-', toCopy('ist ein PDF', 'PDF')],
  [
    'SQLite format 3\0',
    {
      message: 'Das ist eine Datenbank, vielleicht eine Sammlung von Anki. Exportiere sie in Anki als .apkg.',
      details: { kind: 'database' },
    },
  ],
  ['7z\xbc\xaf\x27\x1c', toUnpack('7z')],
  ['Rar!\x1a\x07', toUnpack('RAR')],
  ['\x1f\x8b', toUnpack('gzip')],
  ['{\\rtf', toCopy('ist ein Textdokument (.rtf)', '.rtf')],
]
const PICTURE = {
  message: 'Das ist ein Bild. Bilder kommen mit einem Anki-Paket oder mit Markdown in einem Archiv (.zip).',
  details: { kind: 'picture' },
}
const OLD_EXCEL = toSave('eine alte Excel-Datei (.xls)', '.xls')
const WEB_PAGE = {
  message:
    'Das ist eine Webseite (HTML), keine Tabelle. Kopiere die Tabelle aus dem Browser nach Excel und speichere sie als .xlsx.',
  details: { kind: 'web_page' },
}
const WEB_ARCHIVE = {
  message:
    'Das ist eine gespeicherte Webseite oder Notiz (.mht). Öffne sie, kopiere die Tabelle nach Excel und speichere sie als .xlsx.',
  details: { kind: 'web_archive' },
}
const MARKUP = toCopy('ist ein Text in HTML oder XML', 'HTML')
const XML = toCopy('ist eine XML-Datei', 'XML')

const WEBCT = toExport('sind Fragen im Format WebCT', 'Moodle kann sie lesen und als XML exportieren', 'WebCT')
const CLOZE = toExport(
  'ist ein Lückentext von Moodle als bloßer Text',
  'in Moodle-XML sind auch Lückentexte möglich',
  'Moodle Cloze',
)
const QTI = toExport('sind Fragen im Format QTI', 'exportiere sie im anderen Programm in einem dieser Formate', 'QTI')

/** Root elements of QTI 1.2, 2.x and 3.0, behind an optional XML declaration and comments */
const QTI_ROOT =
  /^(?:<\?xml[^>]{0,200}\?>)?\s*(?:<!(?:--(?:(?!-->)[\s\S]){0,2000}--|doctype[^>]{0,300})>\s*)*<(?:questestinterop|assessmentItem|assessmentTest|qti-assessment-(?:item|test))[\s>]/i

const WEBCT_TYPE = /^:TYPE:(?:MC|M|S|C|P)\b/m
const CLOZE_GAP =
  /\{\d{0,3}:(?:SHORTANSWER|SA|MW|NUMERICAL|NM|MULTICHOICE|MULTIRESPONSE|MC|MR)(?:_?[A-Z]{1,2})?:[^{}\n]{0,2000}\}/
/** Separator of table cells; a comma followed by a space is punctuation */
const CELLS = /[\t;|]|,\S/

/** First bytes of a compound file (MS-CFB): a document of an old Microsoft Office version or a protected document */
export const COMPOUND_FILE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
const COMPOUND_STREAMS: readonly [stream: string, type: ForeignType][] = [
  [
    'EncryptedPackage',
    {
      message: `Die Datei ist mit einem Passwort geschützt. Speichere sie ohne Passwort ${AGAIN}.`,
      details: { kind: 'protected' },
    },
  ],
  ['Workbook', OLD_EXCEL],
  ['Book', OLD_EXCEL],
  ['WordDocument', toCopy('ist ein Word-Dokument (.doc)', '.doc')],
  ['PowerPoint Document', toCopy('ist eine Präsentation (.ppt)', '.ppt')],
]
const OLD_OFFICE = toCopy('ist eine Datei eines alten Office-Programms', 'Office')

/** Messages by pattern; the pattern matches the name of a zip entry or the content of the zip entry `mimetype` */
const DOCUMENTS: readonly [name: RegExp, type: ForeignType][] = [
  [/^xl\/.*\.bin$/, toSave('eine binäre Excel-Datei (.xlsb)', '.xlsb')],
  [/^word\//, toCopy('ist ein Word-Dokument (.docx)', '.docx')],
  [/^ppt\//, toCopy('ist eine Präsentation (.pptx)', '.pptx')],
  [/opendocument\.spreadsheet/, toSave('eine OpenDocument-Tabelle (.ods)', '.ods')],
  [/opendocument\.text/, toCopy('ist ein Textdokument (.odt)', '.odt')],
  [/opendocument\.presentation/, toCopy('ist eine Präsentation (.odp)', '.odp')],
  [/epub/, toCopy('ist ein E-Book (.epub)', '.epub')],
  [
    /^Index\/.*\.iwa$/,
    {
      message: `Das ist eine Datei von Numbers, Pages oder Keynote. Exportiere sie als .xlsx oder CSV ${AGAIN}.`,
      details: { kind: 'save_as', type: 'Numbers' },
    },
  ],
]

/**
 * Returns the presumed type of an unsupported file and the remedy, in German; undefined if the type is unknown or may
 * be supported.
 * @param head about the first 4 kB
 * @example describeForeignFile(Buffer.from('a;b')) // undefined
 */
export function describeForeignFile(head: Uint8Array): ForeignType | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1')
  const binary = BINARY.find(([beginning]) => text.startsWith(beginning))?.[1]
  if (binary !== undefined) return binary
  return findPictureType(head) === undefined ? (describeMarkup(text) ?? describeQuestions(text)) : PICTURE
}

/**
 * Returns the message for a web page or an XML file, detected by two tags at its beginning; one tag does not suffice,
 * because a card about `<html>` may begin with that tag.
 */
function describeMarkup(text: string): ForeignType | undefined {
  const start = text.replace(/^\xef\xbb\xbf/, '').trimStart()
  if (/^(?:mime-version|from|content-type): /i.test(start) && /multipart\/related/i.test(start)) return WEB_ARCHIVE
  if (QTI_ROOT.test(start)) return QTI
  if (/^<\?xml\s[^>]{0,200}\?>\s*</i.test(start)) {
    if (/<\?mso-application\s+progid="Excel\.Sheet"/i.test(start)) return OLD_EXCEL
    return /<html[\s>]/i.test(start) ? WEB_PAGE : XML
  }
  const body = start.replace(/^(?:<!--(?:(?!-->)[\s\S]){0,2000}-->\s*)+/, '')
  return /^<(?:!doctype\s*html|html|head|body|table|meta)(?:\s[^>]{0,2000})?>\s*</i.test(body) ? WEB_PAGE : undefined
}

/**
 * Returns the message for WebCT or cloze questions; undefined for other text. Text with cell separators may be a table
 * and is not treated as cloze questions.
 */
function describeQuestions(text: string): ForeignType | undefined {
  if (WEBCT_TYPE.test(text) && /^:QUESTION:/m.test(text)) return WEBCT
  return CLOZE_GAP.test(text) && !CELLS.test(text.replaceAll(/\{[^{}]*\}/g, '')) ? CLOZE : undefined
}

/**
 * Returns the presumed type of a compound file and the remedy, in German.
 * @param directory sectors of the file that contain the names of its streams in UTF-16LE
 */
export function describeCompoundFile(directory: Uint8Array): ForeignType {
  const names = Buffer.from(directory.buffer, directory.byteOffset, directory.length).toString('utf16le')
  return COMPOUND_STREAMS.find(([stream]) => names.includes(`${stream}\0`))?.[1] ?? OLD_OFFICE
}

/**
 * Returns the presumed type of a document in a zip file and the remedy, in German; undefined if the type is unknown.
 * @param names entry names of the zip file, and the content of its entry `mimetype`
 */
export function describeDocument(names: readonly string[]): ForeignType | undefined {
  return DOCUMENTS.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1]
}

export const NOTHING_READABLE = {
  message: `Das Archiv (.zip) enthält nichts, was der Dienst liest: Karten kommen aus einem Anki-Paket, aus Markdown oder Tabellen. ${QUESTIONS}.`,
  details: { kind: 'nothing_readable' },
}
export const ARCHIVE_INSIDE = {
  message: 'Das ist ein Archiv in einem Archiv. Packe es aus und lade es selbst hoch.',
  details: { kind: 'archive_inside' },
}

const H5P = toExport('ist ein Inhalt von H5P (.h5p)', 'übertrage sie dorthin', 'H5P')
const SCORM = toExport(
  'ist ein Kurs im Format SCORM',
  'exportiere die Fragen aus dem Programm, mit dem der Kurs gemacht ist',
  'SCORM',
)
const COURSE = toExport('ist ein Kurspaket (IMS)', 'exportiere nur die Fragen', 'IMS')
const MOCHI = toCopy('ist ein Export von Mochi (.mochi)', '.mochi')
const MOODLE_BACKUP = {
  message: 'Das ist die Sicherung eines Kurses von Moodle (.mbz). Exportiere dort die Fragensammlung als Moodle-XML.',
  details: { kind: 'moodle_backup' },
}

/**
 * Returns the type of a package of another learning program and the remedy, in German; undefined if it is unknown.
 * @param names entry names of the zip file
 * @param starts beginnings of the entries `imsmanifest.xml` and `data.json`; empty if missing
 */
export function describePackage(
  names: readonly string[],
  { manifest, data }: { manifest: string; data: string },
): ForeignType | undefined {
  if (names.includes('h5p.json')) return H5P
  if (names.includes('moodle_backup.xml')) return MOODLE_BACKUP
  if (names.includes('data.edn') || /"(?:~:)?(?:decks|cards)"/.test(data)) return MOCHI
  if (manifest === '') return undefined
  if (/imsqti|ims_qti|qtiasi/i.test(manifest)) return QTI
  return /adlcp|adlnet|scorm/i.test(manifest) ? SCORM : COURSE
}

const JSON_DATA = toCopy('sind Daten im Format JSON', 'JSON')
const MARKDOWN = {
  message:
    'Das ist ein Text in Markdown. In einem Archiv (.zip) hochgeladen wird er ein Deck, wenn er Karten in der Schreibweise ' +
    `dieses Dienstes enthält, sonst ein Spickzettel. ${AS_TABLE}, wenn du andere Karten hast.`,
  details: { kind: 'markdown' },
}
const QUESTION_LINES = {
  message: `Frage und Antwort stehen in dieser Datei untereinander in eigenen Zeilen. ${AS_TABLE}.`,
  details: { kind: 'question_lines' },
}
const NO_COLUMNS = {
  message: `Das ist ein Text, in dem keine Spalten zu erkennen sind. ${AS_TABLE}.`,
  details: { kind: 'no_columns' },
}

/** Separator declared for Excel: the file is a table, as with the header of Anki's text export. */
const DECLARED = /^"?sep=/i
const MAX_LINES = 200
/** A feature of a format must be in more than this share of the lines. */
const MOST = 0.5
/** Cells behind a separator; a comma followed by a space is punctuation. */
const COLUMNS = [/^\s*\S.*\t\s*\S/, /^\s*\S.*;\s*\S/, /^\s*\S.*,\S/, /\|\s*\S/]
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
/** A run of one sign between texts, such as `---` or `/////` */
const RUN = /\S\s*(?<run>(?<sign>[-/=*~#+>])\k<sign>{2,})\s*\S/
const QUESTION_LINE = /^\s*(?:q|f|frage|question)\s*\d{0,3}\s*:/i
const ANSWER_LINE = /^\s*(?:a|antwort|answer)\s*\d{0,3}\s*:/i

/** Beginning or end of an element */
const TAG = /<\/?[a-z][^<>]*>/i
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
export function describeForeignText(head: Uint8Array, isWhole: boolean): ForeignType | undefined {
  const lastLine = head.lastIndexOf(0x0a)
  const decoded = decodeTable(isWhole || lastLine < 0 ? head : head.subarray(0, lastLine))
  if ('badLine' in decoded) return undefined
  const text = decoded.text.replace(/^\ufeff/, '')
  if (DECLARED.test(text) || readAnkiHeader(text) !== undefined) return undefined
  if (isJson(text.replace(COMMENTS, ''))) return JSON_DATA
  const lines = withoutQuotedCells(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
  if (lines.length === 0) return undefined
  const shareOf = (pattern: RegExp) => share(lines, (line) => pattern.test(line))
  if (COLUMNS.some((pattern) => shareOf(pattern) > MOST)) return undefined
  if (/^\s*</.test(text) && shareOf(TAG) > MOST) return MARKUP
  if (isMarkdown(text, lines, shareOf)) return MARKDOWN
  if (shareOf(QUESTION_LINE) > 0.2 && shareOf(ANSWER_LINE) > 0.2) return QUESTION_LINES
  const commas = shareOfEqualCommas(lines)
  const run = RUN.exec(lines[0] ?? '')?.groups?.run
  const isSign = (has: (line: string) => boolean) => share(lines, has) > Math.max(MOST, commas)
  const sign =
    run !== undefined && isSign((line) => line.includes(run))
      ? run
      : SIGNS.find(([, pattern]) => isSign((line) => pattern.test(line)))?.[0]
  if (sign !== undefined) {
    return {
      message:
        `Frage und Antwort sind in dieser Datei mit „${sign}“ getrennt. Ersetze „${sign}“ in einem Texteditor durch einen ` +
        'Tabulator und lade die Datei noch einmal hoch.',
      details: { kind: 'other_separator', sign },
    }
  }
  const isTable = commas > MOST || shareOf(CELLS) > MOST || CELLS.test(lines[0] ?? '')
  return isTable ? undefined : NO_COLUMNS
}

/** Comments above JSON, as in the settings of some programs */
const COMMENTS = /^(?:\s*\/\/[^\n]*\n)+/

function share(lines: readonly string[], has: (line: string) => boolean): number {
  return lines.filter(has).length / lines.length
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
