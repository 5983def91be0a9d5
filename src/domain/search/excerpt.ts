import { toPlainText } from './plain-text.js'
import { findWords } from './words.js'

/** Start and end in UTF-16 code units; the end is exclusive. */
export type Range = [start: number, end: number]

export interface Marked {
  text: string
  ranges: Range[]
}

/** The stored words that match a search. */
export interface Hits {
  /** Words that match completely */
  whole: ReadonlySet<string>
  /** Words that match partially, with the matching parts */
  parts: ReadonlyMap<string, readonly string[]>
}

const TITLE_LENGTH = 200
const EXCERPT_LENGTH = 160
/** Number of characters shown before the first hit */
const LEAD = 40

/** Length from which a cut keeps a part of a word; shorter parts are omitted */
const LONG_WORD = 40

/** Maximum length of a text that is processed completely; a longer text is first cut around its first hit. */
const MAX_SOURCE = 8_000
const SOURCE_BEFORE = 2_000
const SOURCE_BEHIND = 4_000

/** Returns the ranges of the hits, in order and without overlaps. */
export function findRanges(text: string, { whole, parts }: Hits): Range[] {
  const ranges: Range[] = []
  for (const { folded, start, end } of findWords(text)) {
    const inside = parts.get(folded)
    if (whole.has(folded) || (inside !== undefined && folded.length !== end - start)) ranges.push([start, end])
    else if (inside !== undefined) ranges.push(...merge(inside.map((part) => rangeOf(part, folded, start))))
  }
  return ranges
}

function rangeOf(part: string, word: string, start: number): Range {
  const found = word.indexOf(part)
  return found < 0 ? [start, start + word.length] : [start + found, start + found + part.length]
}

function merge(ranges: Range[]): Range[] {
  const merged: Range[] = []
  for (const [start, end] of ranges.sort((one, other) => one[0] - other[0])) {
    const last = merged.at(-1)
    if (last === undefined || last[1] < start) merged.push([start, end])
    else last[1] = Math.max(last[1], end)
  }
  return merged
}

/** Returns the first 200 characters of a plain text, with the hits in them. */
export function markTitle(text: string, hits: Hits): Marked {
  return mark(cut(text, 0, TITLE_LENGTH, false, false), hits)
}

/**
 * Returns about 160 characters of a Markdown text as plain text, around the first hit or from the beginning.
 * @example excerptOf('Nutze `git stash`', hits).text // 'Nutze git stash'
 */
export function excerptOf(source: string, hits: Hits): Marked {
  const { start, end } = source.length <= MAX_SOURCE ? { start: 0, end: source.length } : findPiece(source, hits)
  const text = toPlainText(source.slice(start, end))
  const first = findRanges(text, hits)[0]?.[0] ?? 0
  const from = Math.max(0, Math.min(first - LEAD, text.length - EXCERPT_LENGTH))
  return mark(cut(text, from, EXCERPT_LENGTH, start > 0, end < source.length, first), hits)
}

function mark(text: string, hits: Hits): Marked {
  return { text, ranges: findRanges(text, hits) }
}

/**
 * Returns the range from 2,000 characters before the first hit, or from the next line start after that position, to
 * 4,000 characters after the start of the hit.
 */
function findPiece(source: string, hits: Hits): { start: number; end: number } {
  let first = 0
  for (const { folded, start } of findWords(source)) {
    if (!hits.whole.has(folded) && !hits.parts.has(folded)) continue
    first = start
    break
  }
  const from = Math.max(0, first - SOURCE_BEFORE)
  const line = source.indexOf('\n', from)
  const start = from > 0 && line >= 0 && line < first ? line + 1 : from
  return { start, end: Math.min(source.length, first + SOURCE_BEHIND) }
}

/** Cuts a text to at most `length` characters, between words if possible; `…` marks omissions. */
function cut(
  text: string,
  from: number,
  length: number,
  isMoreBefore: boolean,
  isMoreBehind: boolean,
  first = from,
): string {
  let start = from
  let end = Math.min(text.length, from + length)
  if (start > 0 && text[start - 1] !== ' ') {
    const space = text.indexOf(' ', start)
    if (space >= 0 && space < first && space - start < LONG_WORD) start = space + 1
  }
  if (end < text.length && text[end] !== ' ') {
    const space = text.lastIndexOf(' ', end)
    if (space > first && end - space < LONG_WORD) end = space
  }
  const before = start > 0 || isMoreBefore ? (start === 0 || text[start - 1] === ' ' ? '… ' : '…') : ''
  const behind = end < text.length || isMoreBehind ? (end === text.length || text[end] === ' ' ? ' …' : '…') : ''
  // The cut may have split a surrogate pair.
  return `${before}${text.slice(start, end).trim()}${behind}`.toWellFormed()
}
