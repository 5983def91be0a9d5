import { readFileSync, statSync } from 'node:fs'
import { FaultyContent } from '../../../../domain/content/refusals.js'
import {
  type Incoming,
  type IncomingCard,
  type IncomingDeck,
  plainDeck,
} from '../../../../domain/content/upload/incoming.js'
import { parseExercise } from '../../../../domain/questions/exercise.js'
import { decodeTable, readTable, type TableCard, type TableDeck } from '../../../../domain/table/index.js'
import { MAX_SIDE_LENGTH } from '../../../../domain/text/limits.js'
import { Findings } from './findings.js'
import { LIMITS, TABLE_TOO_LARGE } from './limits.js'
import type { ReadOptions } from './options.js'

/**
 * Reads a table: CSV, TSV or Anki's text export.
 * @throws FaultyContent if the file has faults
 * @throws TABLE_TOO_LARGE if the file exceeds 128 MiB
 * @throws TOO_MANY_CARDS, TEXT_TOO_LONG if the cards exceed a limit
 */
export function readTableFile(path: string, options: ReadOptions): Incoming {
  if (statSync(path).size > LIMITS.tableBytes) throw TABLE_TOO_LARGE
  return readTableBytes(readFileSync(path), options)
}

/** Reads a table from memory. @throws the refusals of `readTableFile`, except TABLE_TOO_LARGE */
export function readTableBytes(
  bytes: Uint8Array,
  { fileName, defaultDeck, deck, level, levels, table: choice }: ReadOptions,
): Incoming {
  const decoded = decodeTable(bytes)
  if ('badLine' in decoded) {
    throw new FaultyContent([{ file: fileName, line: decoded.badLine, message: 'NUL-Zeichen sind nicht erlaubt' }])
  }
  const findings = new Findings()
  if (decoded.encoding === 'Windows-1252') {
    findings.warn(fileName, 1, 'Die Datei ist nicht in UTF-8 kodiert und wurde als Windows-1252 gelesen')
  }
  const { decks, table } = readTable(decoded.text, {
    file: fileName,
    defaultDeck,
    deck,
    level,
    levels,
    maxLength: MAX_SIDE_LENGTH,
    choice,
    fault: (line, message) => findings.fault(fileName, line, message),
    warn: (line, message) => findings.warn(fileName, line, message),
    count: (length) => findings.countLength(length),
  })
  const incoming = toDecks(decks, findings)
  findings.throwFaults()
  return {
    kind: 'table',
    decks: incoming,
    sheets: [],
    pictures: [],
    ...(table !== null && { table }),
    ...findings.warnings,
  }
}

/** Converts the decks of a table. Adds a fault for each row whose answer options do not form a valid question. */
export function toDecks(decks: readonly TableDeck[], findings: Findings): IncomingDeck[] {
  return decks.map(({ name, cards }) => {
    return plainDeck(
      name,
      cards.map((card) => toCard(card, findings)),
    )
  })
}

function toCard({ options, ...card }: TableCard, findings: Findings): IncomingCard {
  if (options === undefined) return card
  const report = (message: string) => findings.fault(card.file, card.line, message)
  if (options.every(({ correct }) => correct)) {
    report('Alle Antworten zur Auswahl sind richtig; mindestens eine muss falsch sein')
    return card
  }
  return { ...card, exercise: parseExercise({ options }, card.answer, report) }
}
