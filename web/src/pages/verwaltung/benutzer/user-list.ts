/** A list of users: pasted text, or the bytes of a chosen file until the user edits it */
export interface UserList {
  fileName?: string
  body: string | Uint8Array<ArrayBuffer>
}

/**
 * Maximum number of lines of a record. A longer record is probably the result of a stray quotation mark, so only its
 * first line is shown.
 */
const MAX_LINES = 20

const WINDOWS_1252 = new TextDecoder('windows-1252')
/** A character that the service refuses in Windows-1252 text; beyond ASCII, the service accepts only letters */
const NO_LETTER = /[^\p{ASCII}À-ÖØ-öø-ÿ]/u

/**
 * Returns the text of a list as the service reads it; undefined if the service refuses the encoding.
 * @example textOf(new Uint8Array([0xfc])) // 'ü'
 */
export function textOf(body: UserList['body']): string | undefined {
  if (typeof body === 'string') return body
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    const text = WINDOWS_1252.decode(body)
    return text.includes('\0') || NO_LETTER.test(text) ? undefined : text
  }
}

/** A list that is cut into parts; joined with line breaks, the parts are the whole list. */
export interface SplitList {
  parts: string[]
  /** Index of the part with a faulty record, by the line at which the record begins */
  indexOf: Map<number, number>
}

/**
 * Cuts a list so that each faulty record is one part. A record continues while a quotation mark is open.
 * @example splitList('name\n"a\nb"\nc', [2]).parts // ['name', '"a\nb"', 'c']
 */
export function splitList(text: string, faultyLines: Iterable<number>): SplitList {
  const lines = text.split(/\r\n?|\n/)
  const faulty = new Set(faultyLines)
  const cut: SplitList = { parts: [], indexOf: new Map() }
  for (let at = 0; at < lines.length; ) {
    const isFaulty = faulty.has(at + 1)
    const length = isFaulty ? recordLength(lines, at, faulty) : 1
    if (isFaulty) cut.indexOf.set(at + 1, cut.parts.length)
    cut.parts.push(lines.slice(at, at + length).join('\n'))
    at += length
  }
  return cut
}

/**
 * Returns the number of lines of a record; 1 if its quotation mark is not closed before the next faulty record or
 * within `MAX_LINES` lines.
 */
function recordLength(lines: readonly string[], start: number, faulty: ReadonlySet<number>): number {
  let quotes = 0
  for (let length = 1; length <= MAX_LINES; length++) {
    quotes += (lines[start + length - 1] ?? '').split('"').length - 1
    if (quotes % 2 === 0) return length
    if (faulty.has(start + length + 1)) return 1
  }
  return 1
}
