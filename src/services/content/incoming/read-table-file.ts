import { readFileSync, statSync } from 'node:fs'
import type { Incoming } from '../../../domain/content/incoming.js'
import { FaultyContent, FILE_TOO_LARGE } from '../../../domain/refusals.js'
import { decodeTable } from '../../../domain/table/decode-table.js'
import { readTable } from '../../../domain/table/read-table.js'
import { Findings } from './findings.js'
import { LIMITS } from './limits.js'
import type { ReadOptions } from './options.js'

/**
 * Reads a table: CSV, TSV or Anki's text export.
 * @throws FaultyContent with every fault; FILE_TOO_LARGE
 */
export function readTableFile(path: string, { fileName, defaultDeck, deck, level, levels }: ReadOptions): Incoming {
  if (statSync(path).size > LIMITS.tableBytes) throw FILE_TOO_LARGE
  const decoded = decodeTable(readFileSync(path))
  if ('badLine' in decoded) {
    throw new FaultyContent([{ file: fileName, line: decoded.badLine, message: 'NUL-Zeichen sind nicht erlaubt' }])
  }
  const findings = new Findings()
  if (decoded.encoding === 'Windows-1252') {
    findings.warn(fileName, 1, 'Die Datei ist nicht in UTF-8 kodiert und wurde als Windows-1252 gelesen')
  }
  const decks = readTable(decoded.text, {
    file: fileName,
    defaultDeck,
    deck,
    level,
    levels,
    maxLength: LIMITS.cardLength,
    fault: (line, message) => findings.fault(fileName, line, message),
    warn: (line, message) => findings.warn(fileName, line, message),
    count: (question, answer) => findings.countCard(question, answer),
  })
  findings.throwFaults()
  return { kind: 'table', decks, sheets: [], pictures: [], ...findings.warnings }
}
