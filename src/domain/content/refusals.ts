import { type Details, InvalidField, InvalidInput, Refusal, TemporaryRefusal } from '../refusal.js'
import type { ItemKind } from './editing/rights.js'
import { type Finding, groupFindings, type ListedFinding, withoutKind } from './findings.js'
import type { SourceKind, StoredKind } from './upload/incoming.js'

const MAX_FAULTS = 200

export class FaultyContent extends InvalidInput {
  readonly faults: Finding[]

  constructor(faults: Finding[]) {
    super(`Import abgebrochen: ${faults.length} Fehler in den Inhalten`, 'faulty_content')
    this.faults = faults
  }
}

/**
 * The upload has faults. `faults` contains at most ten faults of each kind, and at most 200 in all; `total` counts all.
 */
export class FaultyUpload extends FaultyContent {
  declare readonly faults: ListedFinding[]
  readonly total: number

  constructor({ faults, message }: FaultyContent) {
    super(groupFindings(faults).slice(0, MAX_FAULTS).map(withoutKind))
    this.message = message
    this.total = faults.length
  }
}

export class DamagedPackage extends InvalidInput {
  constructor(reason: string) {
    super(`Das Paket ist beschädigt: ${reason}`, 'damaged_package')
  }
}

/** The service does not read files of this type; message and details name the type and the remedy. */
export class ForeignFile extends InvalidInput {
  constructor({ message, details }: { message: string; details?: Details | undefined }) {
    super(message, 'foreign_file', { details })
  }
}

const KINDS: Record<StoredKind, string> = {
  anki: 'ein Anki-Paket',
  table: 'eine Tabelle oder Fragendatei',
  archive: 'ein Archiv',
  written: 'im Browser geschrieben',
}

export class OtherKind extends InvalidInput {
  constructor({ name, kind }: { name: string; kind: StoredKind }, given: SourceKind) {
    super(`Die Quelle „${name}“ ist ${KINDS[kind]}, die Datei ist ${KINDS[given]}`, 'other_kind')
  }
}

export class SourceExists extends Refusal {
  readonly source: { id: number; name: string }

  constructor({ id, name }: { id: number; name: string }) {
    super(
      'conflict',
      'source_exists',
      `Eine Quelle „${name}“ gibt es schon: source=${id} aktualisiert sie, new=true legt eine zweite an`,
      { details: { id, name } },
    )
    this.source = { id, name }
  }
}

/**
 * The import would archive more than half of at least 10 cards or sheets that are not archived; a part of the folder
 * may be missing.
 */
export class MostArchived extends Refusal {
  /** Message without the hint on how to force the import; the hint differs between API and command line */
  readonly reason: string

  constructor(kind: 'Karten' | 'Cheat Sheets', archived: number, live: number) {
    const reason = `Der Import würde ${archived} von ${live} ${kind} archivieren`
    super(
      'conflict',
      kind === 'Karten' ? 'most_cards_archived' : 'most_sheets_archived',
      `${reason}; force=true erlaubt es`,
      { details: { archived, live } },
    )
    this.reason = reason
  }
}

export class MediaFull extends Refusal {
  constructor(maxMegabytes: number) {
    super('too_large', 'media_full', `Die Bilder brauchten zusammen mehr als ${maxMegabytes} MB (MEDIA_MAX_MB)`)
  }
}

export class OwnMediaFull extends Refusal {
  constructor(maxMegabytes: number) {
    super('too_large', 'own_media_full', `Deine Bilder brauchten zusammen mehr als ${maxMegabytes} MB`)
  }
}

export class BadPicture extends InvalidInput {
  constructor(problem: string) {
    super(`Das Bild ${problem}`, 'bad_picture')
  }
}

export class FileTooLarge extends Refusal {
  constructor(limit: string, code = 'file_too_large') {
    super('too_large', code, `Datei zu groß: ${limit}`)
  }
}

export class EntryTooLarge extends FileTooLarge {
  constructor(name: string, maxBytes: number) {
    const limit = maxBytes < 2 ** 20 ? `${maxBytes} Bytes` : `${Math.floor(maxBytes / 2 ** 20)} MB`
    super(`„${name}“ ist entpackt größer als ${limit}`, 'entry_too_large')
  }
}

export class UploadTooLarge extends FileTooLarge {
  constructor(maxBytes: number) {
    super(`mehr als ${maxBytes / 2 ** 20} MB (IMPORT_MAX_MB)`)
  }
}

/** No worker thread for reading the file became free in time. */
export class ReadersBusy extends TemporaryRefusal {
  constructor() {
    super(
      'unavailable',
      'readers_busy',
      'Der Dienst liest gerade andere Dateien; bitte gleich noch einmal versuchen',
      5,
    )
  }
}

/** The content folder cannot be read. The message, with the path of the folder, is for the log and the command line. */
export class UnreadableContent extends Refusal {
  /** Message without the path, for administrators in the app */
  readonly reason: string

  constructor(folder: string, code = 'unbekannter Fehler') {
    const text = 'Der Ordner der Inhalte (CONTENT_DIR) ist nicht lesbar'
    super('internal', 'unreadable_content', `${text}: ${folder} (${code})`)
    this.reason = `${text} (${code})`
  }
}

/** The disk of `TMP_DIR` is too full for the file of an upload or export. */
export const NO_ROOM = new Refusal('no_room', 'no_room', 'Auf dem Server ist kein Platz für die Datei')
export const UPLOAD_TOO_SLOW = new Refusal(
  'timeout',
  'upload_too_slow',
  'Die Datei kam zu langsam an; bitte noch einmal hochladen',
)
export const NO_FILE = new InvalidInput('Die Anfrage enthält keine Datei', 'no_file')
export const NOT_A_PACKAGE = new InvalidInput('Die Datei ist kein Anki-Paket', 'not_a_package')
export const PACKAGE_TOO_NEW = new InvalidInput(
  'Das Paket braucht eine neuere Version dieses Dienstes',
  'package_too_new',
)
export const READING_TOO_LONG = new InvalidInput(
  'Die Datei ließ sich nicht in der erlaubten Zeit lesen',
  'reading_too_long',
)
export const CONVERTING_TOO_LONG = new InvalidInput(
  'Der Text ließ sich nicht in der erlaubten Zeit umwandeln; bitte in Teilen einfügen',
  'converting_too_long',
)
export const IMPORT_RUNS = new Refusal('conflict', 'import_runs', 'Import läuft bereits')
export const CONTENT_CHANGES = new Refusal(
  'conflict',
  'content_changes',
  'Die Inhalte werden gerade auch von anderer Stelle geändert; bitte den Import wiederholen',
)

export const DECK_NOT_FOUND = new Refusal('not_found', 'deck_not_found', 'Deck nicht gefunden')
export const CHEATSHEET_NOT_FOUND = new Refusal('not_found', 'cheatsheet_not_found', 'Cheat Sheet nicht gefunden')
export const TEST_NOT_FOUND = new Refusal('not_found', 'test_not_found', 'Test nicht gefunden')
export const CARD_NOT_FOUND = new Refusal('not_found', 'card_not_found', 'Karte nicht gefunden')
export const CHANGE_NOT_FOUND = new Refusal('not_found', 'change_not_found', 'Änderung nicht gefunden')
export const VERSION_NOT_FOUND = new Refusal('not_found', 'version_not_found', 'Fassung nicht gefunden')
/** The object has changed since the version that the request is based on. */
export class VersionOutdated extends Refusal {
  /** @param version the present version */
  constructor(version: number | string, field = 'version') {
    super('conflict', 'version_outdated', 'Inzwischen geändert', { field, details: { version } })
  }
}

/** Refuses a change that is based on another version than the present one. @throws VersionOutdated */
export function requireVersion(given: number | null | undefined, present: number): void {
  if (given !== undefined && given !== present) throw new VersionOutdated(present)
}

/** A deck, sheet or test cannot be a variant of the named original, or not in this language. */
export class NotInGroup extends InvalidField {}

/** Only a variant is compared with its original. */
export const NOT_A_VARIANT = new NotInGroup('translation_of', 'fehlt: Das hier ist keine Variante', {
  code: 'not_a_variant',
})

/** The item has no variants in other languages, so there is no language to choose. */
export const NO_VARIANTS = new InvalidInput('Das gibt es nur in einer Sprache', 'no_variants', { field: 'slug' })

/** The group has no variant in the language. */
export class NoSuchVariant extends InvalidField {
  constructor(lang: string) {
    super('lang', `hat den Wert ${lang}, aber in dieser Sprache gibt es das nicht`, { code: 'no_such_variant' })
  }
}

/** A variant is archived with its original, so it cannot be restored alone. */
export const ORIGINAL_ARCHIVED = new NotInGroup('archived', 'geht hier nicht: Das Original ist archiviert', {
  code: 'original_archived',
})

/** The client id belongs to a card or sheet that the caller may not edit. */
export const CLIENT_ID_TAKEN = new Refusal('conflict', 'client_id_taken', 'Diese „client_id“ ist schon vergeben', {
  field: 'client_id',
})
export const ONE_SOURCE_ONLY = new InvalidInput(
  'Die Karten gehören zu mehreren Quellen; bitte jede Quelle für sich ändern',
  'one_source_only',
)
export const TOO_MANY_CARDS = new InvalidInput('Höchstens 20.000 Karten auf einmal', 'too_many_cards')
export const CHANGE_UNDONE = new Refusal('conflict', 'change_undone', 'Diese Änderung ist schon rückgängig gemacht')
export const NOT_UNDOABLE = new Refusal(
  'conflict',
  'not_undoable',
  'Diese Änderung lässt sich nicht als Ganzes rückgängig machen',
)
export const SOURCE_NOT_FOUND = new Refusal('not_found', 'source_not_found', 'Quelle nicht gefunden')
export const NOT_AN_AUTHOR = new Refusal(
  'conflict',
  'not_an_author',
  'Zur Redaktion gehört nur, wer Inhalte schreiben darf; Administratoren können das erlauben',
)
export const LAST_EDITOR = new Refusal(
  'conflict',
  'last_editor',
  'Jemand muss die Quelle bearbeiten; zuerst jemand anderen in die Redaktion aufnehmen',
)
/** Only a source that is written in the browser can adopt content; in other sources, an upload could archive it. */
export const NOT_WRITTEN = new Refusal(
  'conflict',
  'not_written',
  'Übernehmen kann das nur eine Quelle, die im Browser geschrieben wird',
)
export const OWNED_BY_SOURCE = new Refusal('conflict', 'owned_by_source', 'Das gehört schon einer Quelle')
export const PICTURE_NOT_FOUND = new Refusal('not_found', 'picture_not_found', 'Bild nicht gefunden')
export const PICTURE_TOO_LARGE_TO_STORE = new Refusal('too_large', 'picture_too_large', 'Das Bild ist größer als 2 MB')
export const REPORT_NOT_FOUND = new Refusal('not_found', 'report_not_found', 'Meldung nicht gefunden')
export const TOO_MANY_REPORTS = new Refusal(
  'conflict',
  'too_many_reports',
  'Es gibt schon 50 offene eigene Meldungen; bitte abwarten, bis einige davon erledigt sind',
)
export const NO_SUGGESTION = new Refusal('conflict', 'no_suggestion', 'Die Meldung enthält keinen Vorschlag')
export const REPORT_SETTLED = new Refusal('conflict', 'report_settled', 'Die Meldung ist schon erledigt')
export const REPORTED_AGAIN = new Refusal(
  'conflict',
  'reported_again',
  'Zu dieser Karte gibt es schon eine neuere offene Meldung derselben Person',
)

export const INVALID_ID_BY_KIND: Partial<Record<ItemKind, string>> = {
  source: 'Ungültige Quellen-ID',
  card: 'Ungültige Karten-ID',
  report: 'Ungültige Meldungs-ID',
  change: 'Ungültige Änderungs-ID',
}

export const NOT_FOUND_BY_KIND: Record<ItemKind, Refusal> = {
  source: SOURCE_NOT_FOUND,
  deck: DECK_NOT_FOUND,
  card: CARD_NOT_FOUND,
  sheet: CHEATSHEET_NOT_FOUND,
  test: TEST_NOT_FOUND,
  report: REPORT_NOT_FOUND,
  change: CHANGE_NOT_FOUND,
}

/**
 * The content belongs to no source, so it cannot be edited in the browser: it comes from the content folder or a
 * script, or was released from its source.
 * @param file path relative to the content folder; null if the content has no file or its path is unknown
 */
export class NotEditable extends Refusal {
  constructor(file: string | null) {
    const place = file === null ? 'gehört zu keiner Quelle' : `steht in der Datei ${file} und wird dort geändert`
    super('conflict', 'not_editable', `Der Inhalt ${place}; Administratoren können ihn in eine Quelle übernehmen`)
  }
}

export const COLUMNS_UNCLEAR = new Refusal(
  'invalid',
  'columns_unclear',
  'Was in den Spalten steht, ist nicht zu erkennen: Wähle es auf der Seite „Hochladen“, oder gib es mit „columns“ an, etwa question,answer,-,level',
)
