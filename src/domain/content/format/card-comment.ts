import { FORMS } from '../../questions/exercise.js'
import { isLabelTooLong } from '../../text/limits.js'
import { countLines, hasControls, isStorable } from '../../text/text.js'
import { CARD_TEXTS, type CardText, TEXT_RULES, type TextRule } from '../card-texts.js'
import type { ReportFault } from '../types.js'
import { NO_TEXT, readJsonText } from './verbatim.js'

/** Texts in the comment. The question and the answer are below the heading. */
export type CommentText = Exclude<CardText, 'question' | 'answer'>

export const COMMENT_TEXTS = CARD_TEXTS.filter((name) => name !== 'question' && name !== 'answer')

/** Values of the comment below a card's heading. A missing value is undefined, empty or false. */
export interface CardComment {
  id: string | undefined
  texts: Record<CommentText, string>
  aliases: string[]
  /** Whether question and answer are one fence each, other texts are JSON strings and an exercise is a third fence */
  verbatim: boolean
  draft: boolean
  form: string | undefined
  tolerance: number | undefined
  unit: string | undefined
}

export const EMPTY_COMMENT_TEXTS = eachCommentText(() => '')

const ID = /^[a-z0-9-]{1,64}$/
const KEYS = ['id', ...COMMENT_TEXTS, 'aliases', 'draft', 'form', 'tolerance', 'unit', 'verbatim']

/**
 * Parses a card comment such as `id: git-stash; level: grundlagen; aliases: [stash]`.
 * @param line first line of the text in the file
 * @example parseCardComment('id: stash; level: basis', 3, () => {}).id // 'stash'
 */
export function parseCardComment(text: string, line: number, report: ReportFault): CardComment {
  const values = new Map<string, Entry>()
  let end = line
  for (const entry of text.split(';')) {
    const entryLine = end + countLines(entry.slice(0, entry.length - entry.trimStart().length)) - 1
    end += countLines(entry) - 1
    if (entry.trim() === '') continue
    const colon = entry.indexOf(':')
    const key = entry.slice(0, Math.max(colon, 0)).trim()
    if (colon < 0) report(entryLine, 'Der Kommentar der Karte muss aus „schlüssel: wert“ bestehen, getrennt durch ;')
    else if (!KEYS.includes(key)) report(entryLine, `Unbekannter Schlüssel „${key}“ (erlaubt: ${KEYS.join(', ')})`)
    else if (values.has(key)) report(entryLine, `Der Schlüssel „${key}“ steht mehrfach im Kommentar`)
    else values.set(key, { value: entry.slice(colon + 1).trim(), line: entryLine })
  }

  const id = values.get('id')
  const aliases = values.get('aliases')
  if (id === undefined) report(line, 'Der Karte fehlt die „id“')
  else if (!ID.test(id.value)) report(id.line, describeBadId(id.value))
  const isVerbatim = parseFlag('verbatim', values.get('verbatim'), report)
  if (!values.has('level')) report(line, 'Der Karte fehlt das „level“')
  return {
    id: id && ID.test(id.value) ? id.value : undefined,
    texts: eachCommentText((name) => parseText(name, values.get(name), isVerbatim, report)),
    aliases: aliases ? parseAliases(aliases.value, aliases.line, report) : [],
    verbatim: isVerbatim,
    draft: parseFlag('draft', values.get('draft'), report),
    form: parseForm(values.get('form'), report),
    tolerance: parseTolerance(values.get('tolerance'), report),
    unit: values.get('unit')?.value,
  }
}

function eachCommentText(of: (name: CommentText) => string) {
  return Object.fromEntries(COMMENT_TEXTS.map((name) => [name, of(name)])) as Record<CommentText, string>
}

interface Entry {
  value: string
  line: number
}

function parseFlag(key: string, entry: Entry | undefined, report: ReportFault): boolean {
  if (entry !== undefined && !/^(?:true|false)$/.test(entry.value)) {
    report(entry.line, `„${key}“ muss true oder false sein`)
  }
  return entry?.value === 'true'
}

function parseForm(entry: Entry | undefined, report: ReportFault): string | undefined {
  if (entry === undefined || (FORMS as readonly string[]).includes(entry.value)) return entry?.value
  report(entry.line, `Die Form „${entry.value}“ gibt es nicht (erlaubt: ${FORMS.join(', ')})`)
  return undefined
}

function parseTolerance(entry: Entry | undefined, report: ReportFault): number | undefined {
  if (entry === undefined) return undefined
  if (/^\d+(?:[.,]\d+)?$/.test(entry.value)) return Number(entry.value.replace(',', '.'))
  report(entry.line, '„tolerance“ muss eine Zahl ab 0 sein')
  return undefined
}

function parseText(name: CommentText, entry: Entry | undefined, isVerbatim: boolean, report: ReportFault): string {
  if (entry === undefined) return ''
  const { value, line } = entry
  const text = isVerbatim ? readJsonText(value) : value === NO_TEXT ? '' : value
  if (text === undefined) {
    report(line, `Mit „verbatim“ steht „${name}“ in Anführungszeichen, als JSON`)
    return ''
  }
  if (name === 'level' && value === '') {
    report(line, `„level“ darf nicht leer sein; ohne Level steht dort ${NO_TEXT}`)
  }
  const rule = TEXT_RULES[name]
  const { isMarkdown, maxLength } = rule
  if (isMarkdown && !isStorable(text)) report(line, `„${name}“ enthält ein Zeichen, das nicht gespeichert werden kann`)
  if (!isMarkdown && hasControls(text)) {
    report(line, `„${name}“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten`)
  }
  if (isTooLong(text, rule)) report(line, `„${name}“ ist länger als ${maxLength} Zeichen`)
  return text
}

function isTooLong(text: string, rule: TextRule): boolean {
  if (rule.isMarkdown) return text.length > rule.maxLength
  return !rule.isLongerInFiles && isLabelTooLong(text, rule.maxLength)
}

function parseAliases(value: string, line: number, report: ReportFault): string[] {
  if (!value.startsWith('[') || !value.endsWith(']')) {
    report(line, '„aliases“ muss eine Liste in eckigen Klammern sein, etwa [alte-id]')
    return []
  }
  const list = value.slice(1, -1).trim()
  if (list === '') return []
  const aliases = list.split(',').map((alias) => alias.trim())
  for (const alias of aliases) if (!ID.test(alias)) report(line, describeBadId(alias))
  return aliases.filter((alias) => ID.test(alias))
}

function describeBadId(id: string): string {
  return `„${id}“ ist keine gültige id: 1 bis 64 Zeichen aus a–z, 0–9 und Bindestrich`
}
