import { NOT_A_PACKAGE } from '../../../../domain/content/refusals.js'
import type { Incoming } from '../../../../domain/content/upload/incoming.js'
import { readWorkbook, type WorkbookPackage } from '../../../../domain/table/index.js'
import { MAX_SIDE_LENGTH } from '../../../../domain/text/limits.js'
import { Findings } from './findings.js'
import { LIMITS, TEXT_TOO_LONG, TOO_MANY_CARDS_IN_FILE, TOO_MANY_SHEETS } from './limits.js'
import type { ReadOptions } from './options.js'
import { toDecks } from './table.js'
import type { Zip } from './zip.js'

const REFUSALS = {
  no_sheets: NOT_A_PACKAGE,
  too_many_sheets: TOO_MANY_SHEETS,
  too_many_cards: TOO_MANY_CARDS_IN_FILE,
  text_too_long: TEXT_TOO_LONG,
}

/** Wraps a zip. The wrapper throws EntryTooLarge if more than `LIMITS.workbookBytes` are read in total. */
export function asWorkbookPackage(zip: Zip): WorkbookPackage {
  let bytes = 0
  return {
    names: zip.names,
    async *read(name) {
      for await (const chunk of zip.read(name, LIMITS.workbookBytes - bytes)) {
        bytes += chunk.length
        yield chunk
      }
    },
  }
}

/**
 * Reads an Excel workbook.
 * @param main name of the main part of the workbook
 * @throws FaultyContent if a sheet has faults
 * @throws NOT_A_PACKAGE, DamagedPackage if the workbook has no sheets or cannot be read
 * @throws FileTooLarge if a limit of `LIMITS` is exceeded
 */
export async function readWorkbookFile(zip: Zip, main: string, options: ReadOptions): Promise<Incoming> {
  const { fileName, defaultDeck, deck, level, levels, table: choice } = options
  const findings = new Findings()
  const { decks, table } = await readWorkbook(asWorkbookPackage(zip), main, {
    file: fileName,
    defaultDeck,
    deck,
    level,
    levels,
    maxLength: MAX_SIDE_LENGTH,
    choice,
    limits: LIMITS,
    refusal: (problem) => REFUSALS[problem],
    fault: (file, line, message) => findings.fault(file, line, message),
    warn: (file, line, message) => findings.warn(file, line, message),
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
