import { FileTooLarge } from '../../../../domain/content/refusals.js'

const MEGABYTE = 2 ** 20

/**
 * Limits of an upload. Sizes of compressed content are counted while decompressing, regardless of the sizes that the
 * file declares.
 */
export const LIMITS = {
  entries: 20_000,
  /** Size of a package's collection after each decompression step */
  collectionBytes: 256 * MEGABYTE,
  mediaListBytes: 8 * MEGABYTE,
  /** Total size of all Markdown files of an archive */
  archiveBytes: 256 * MEGABYTE,
  tableBytes: 128 * MEGABYTE,
  /** Total size of all parts of an Excel workbook that are read */
  workbookBytes: 256 * MEGABYTE,
  sheets: 256,
  cards: 100_000,
  fieldLength: MEGABYTE,
  /** Total number of characters of all cards, which are held in memory */
  totalLength: 64 * MEGABYTE,
  pictureBytes: 2_048 * MEGABYTE,
} as const

const german = (number: number) => number.toLocaleString('de-DE')
const megabytes = (bytes: number) => `${german(bytes / MEGABYTE)} MB`

export const TOO_MANY_ENTRIES = new FileTooLarge(
  `mehr als ${german(LIMITS.entries)} Dateien im Archiv`,
  'too_many_entries',
)
export const TOO_MANY_SHEETS = new FileTooLarge(`mehr als ${LIMITS.sheets} Tabellenblätter`, 'too_many_sheets')
export const TOO_MANY_CARDS_IN_FILE = new FileTooLarge(`mehr als ${german(LIMITS.cards)} Karten`, 'too_many_cards')
export const TEXT_TOO_LONG = new FileTooLarge(
  `die Texte aller Karten haben zusammen mehr als ${german(LIMITS.totalLength)} Zeichen`,
  'text_too_long',
)
export const TABLE_TOO_LARGE = new FileTooLarge(
  `eine Tabelle darf ${megabytes(LIMITS.tableBytes)} haben`,
  'table_too_large',
)
export const UNPACKED_TOO_LARGE = new FileTooLarge('entpackt hat das Archiv zu viele Daten', 'unpacked_too_large')
export const NO_MEMORY = new FileTooLarge('zum Lesen reicht der Speicher nicht', 'no_memory')

/** Refusals with a constant message for exceeded limits, for the OpenAPI document */
export const LIMIT_REFUSALS = [
  ...[
    TOO_MANY_ENTRIES,
    TOO_MANY_SHEETS,
    TOO_MANY_CARDS_IN_FILE,
    TEXT_TOO_LONG,
    TABLE_TOO_LARGE,
    UNPACKED_TOO_LARGE,
    NO_MEMORY,
  ],
]
