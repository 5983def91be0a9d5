import { posix } from 'node:path'
import { decodeEscapes } from './escapes.js'
import { isSet, prefixed, type XmlHandler } from './xml.js'

export interface Relationship {
  id: string
  /** Last segment of the type URI, such as `worksheet` */
  type: string
  target: string
}

/**
 * Collects the relationships of a part, without those to external targets.
 * @param folder folder of the part, without a trailing `/`
 */
export function collectRelationships(folder: string, into: Relationship[]): XmlHandler {
  return {
    open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (name !== 'Relationship' || mode === 'External') return
      const path = target.startsWith('/') ? posix.normalize(target) : posix.join('/', folder, target)
      into.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: path.slice(1) })
    },
  }
}

export interface SheetEntry {
  name: string
  isHidden: boolean
  relationship: string
}

export interface WorkbookPart {
  sheets: SheetEntry[]
  /** Whether dates count from 1904, as in old versions of Excel for the Mac */
  is1904: boolean
}

export function collectWorkbook(into: WorkbookPart): XmlHandler {
  return {
    open(name, attributes) {
      if (name === 'workbookPr') into.is1904 = isSet(attributes.date1904)
      if (name !== 'sheet') return
      into.sheets.push({
        name: decodeEscapes(attributes.name ?? ''),
        isHidden: (attributes.state ?? 'visible') !== 'visible',
        relationship: prefixed(attributes, 'id') ?? '',
      })
    },
  }
}

/**
 * Collects the texts that cells refer to by number, without formatting and phonetic readings (furigana).
 * @param add called with each text, in order
 */
export function collectSharedStrings(add: (text: string) => void): XmlHandler {
  const text = new TextCollector()
  return {
    open(name) {
      if (name === 'si') text.begin()
      else text.open(name)
    },
    text: (data) => text.add(data),
    close(name) {
      if (name === 'si') add(decodeEscapes(text.take()))
      else text.close(name)
    },
  }
}

export class TextCollector {
  #text = ''
  #isInText = false
  #readings = 0

  begin(): void {
    this.#text = ''
    this.#isInText = false
    this.#readings = 0
  }

  open(name: string): void {
    if (name === 'rPh') this.#readings++
    else if (name === 't') this.#isInText = this.#readings === 0
  }

  add(data: string): void {
    if (this.#isInText) this.#text += data
  }

  close(name: string): void {
    if (name === 'rPh') this.#readings--
    else if (name === 't') this.#isInText = false
  }

  take(): string {
    return this.#text
  }
}

export interface StylesPart {
  /** Format codes that the workbook defines, by id */
  codes: Map<number, string>
  /** Id of the number format of each cell style */
  styles: number[]
}

export function collectStyles(into: StylesPart): XmlHandler {
  let isInCells = false
  return {
    open(name, { numFmtId: id, formatCode: code }) {
      if (name === 'numFmt' && code !== undefined) into.codes.set(Number(id), code)
      else if (name === 'cellXfs') isInCells = true
      else if (name === 'xf' && isInCells) into.styles.push(Number(id ?? 0))
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  }
}
