import { zipOf } from './upload-packages.js'

/** The value of a cell as inline text or number, or its XML without the reference, such as `<c t="s"><v>0</v></c>` */
export type TestCell = string | number | { xml: string }

export interface TestSheet {
  name?: string
  state?: 'hidden' | 'veryHidden'
  rows: (readonly TestCell[])[]
  /** Attributes of rows by index, such as `hidden="1"` */
  rowAttributes?: Record<number, string>
  /** XML after the rows, such as merged cells */
  after?: string
}

export interface TestWorkbook {
  sheets: TestSheet[]
  /** Number formats of the styles 1, 2 and so on: format codes or ids of built-in formats */
  formats?: (string | number)[]
  /** XML of the shared strings, each `<si>…</si>` */
  shared?: string
  is1904?: boolean
  /** Namespace prefix of each element, such as `x:` */
  prefix?: string
  /** Additional entries of the archive; they replace entries of the same name */
  entries?: Record<string, string | Uint8Array>
}

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function columnOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnOf(Math.floor(index / 26) - 1) + last
}

function sheetXml({ rows, rowAttributes = {}, after = '' }: TestSheet): string {
  const cells = (row: readonly TestCell[], line: number) =>
    row.map((cell, index) => {
      const ref = `r="${columnOf(index)}${line}"`
      if (typeof cell === 'object') return cell.xml.replace('<c', `<c ${ref}`)
      if (typeof cell === 'number') return `<c ${ref}><v>${cell}</v></c>`
      return cell === '' ? '' : `<c ${ref} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`
    })
  const lines = rows.map((row, index) => {
    const attributes = rowAttributes[index] ?? ''
    return `<row r="${index + 1}" ${attributes}>${cells(row, index + 1).join('')}</row>`
  })
  return `<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData>${after}</worksheet>`
}

/** Returns a small Excel workbook. Its `[Content_Types].xml` lists no parts, because the service does not read it. */
export async function workbookOf(book: TestWorkbook, compress = true): Promise<Buffer> {
  const { sheets, formats = [], shared, is1904 = false, prefix = '', entries = {} } = book
  const relationship = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`
  const codes = formats.map((code, index) =>
    typeof code === 'string' ? `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(code)}"/>` : '',
  )
  const styles = formats.map((code, index) => `<xf numFmtId="${typeof code === 'number' ? code : 164 + index}"/>`)
  const parts: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships>${relationship('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${sheets
      .map(({ name, state }, index) => {
        const title = escapeXml(name ?? `Tabelle${index + 1}`)
        return `<sheet name="${title}" sheetId="${index + 1}" ${state ? `state="${state}"` : ''} r:id="s${index}"/>`
      })
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relationship('styles', 'styles', 'styles.xml')}${
      shared === undefined ? '' : relationship('shared', 'sharedStrings', '/xl/sharedStrings.xml')
    }${sheets.map((_, index) => relationship(`s${index}`, 'worksheet', `worksheets/sheet${index}.xml`)).join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
  }
  if (shared !== undefined) parts['xl/sharedStrings.xml'] = `<sst xmlns="${MAIN}">${shared}</sst>`
  for (const [index, sheet] of sheets.entries()) parts[`xl/worksheets/sheet${index}.xml`] = sheetXml(sheet)
  if (prefix !== '') {
    for (const [name, xml] of Object.entries(parts)) parts[name] = xml.replace(/<(\/?)(?=[a-z])/g, `<$1${prefix}`)
  }
  return zipOf({ ...parts, ...entries }, compress)
}
