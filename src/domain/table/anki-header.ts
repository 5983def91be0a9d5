/** Header of Anki's text export. `roles` contains columns, counted from 0; `lines` is the number of header lines. */
export interface AnkiHeader {
  separator?: string
  isHtml: boolean
  columns?: string[]
  deck?: string
  tags?: string
  roles: Map<number, 'guid' | 'notetype' | 'deck' | 'tags'>
  lines: number
}

const NAMES: Readonly<Record<string, string>> = {
  tab: '\t',
  comma: ',',
  semicolon: ';',
  space: ' ',
  pipe: '|',
  colon: ':',
}
/** Keys of Anki; another line that starts with a number sign, such as `# Quelle: …`, is no header. */
const LINE =
  /^#(?<key>separator|html|tags|columns|deck|notetype|if matches|match scope|(?:guid|notetype|deck|tags) column):(?<value>.*)$/i

/**
 * Parses the header lines of Anki's text export, such as `#separator:tab`. Returns undefined if there are none.
 * @example readAnkiHeader('#separator:tab\na\tb')?.separator // '\t'
 */
export function readAnkiHeader(text: string): AnkiHeader | undefined {
  const header: AnkiHeader = { isHtml: false, roles: new Map(), lines: 0 }
  let columns: string | undefined
  for (let at = 0; text[at] === '#'; ) {
    const end = text.indexOf('\n', at)
    const { key = '', value = '' } = LINE.exec(text.slice(at, end < 0 ? text.length : end))?.groups ?? {}
    if (key === '') break
    const name = key.toLowerCase()
    const bare = withoutEmptyCells(value)
    if (name === 'separator') header.separator = separatorOf(bare)
    else if (name === 'html') header.isHtml = bare.toLowerCase() === 'true'
    else if (name === 'columns') columns = bare
    else if (name === 'deck') header.deck = bare
    else if (name === 'tags') header.tags = bare
    else setRole(header, name, bare)
    header.lines++
    if (end < 0) break
    at = end + 1
  }
  if (header.lines === 0) return undefined
  if (columns !== undefined) header.columns = columns.split(header.separator ?? '\t').map((column) => column.trim())
  return header
}

/** Removes the separators that a spreadsheet adds when it saves the file again, such as `#separator:Comma,,`. */
function withoutEmptyCells(value: string): string {
  return value.replace(/(?<=[^,;\t])[,;\t]+$/, '').trim() || value
}

function separatorOf(value: string): string {
  return NAMES[value.trim().toLowerCase()] ?? ([...(value.trim() || value)][0] as string | undefined) ?? '\t'
}

function setRole({ roles }: AnkiHeader, key: string, value: string): void {
  const role = /^(guid|notetype|deck|tags) column$/.exec(key)?.[1]
  const number = Number(value.trim())
  if (role === undefined || !Number.isInteger(number) || number < 1 || number > 1_000) return
  roles.set(number - 1, role as 'guid' | 'notetype' | 'deck' | 'tags')
}
