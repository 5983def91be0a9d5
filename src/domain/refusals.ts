import type { RowFault } from './accounts/types.js'
import type { SourceKind } from './content/incoming.js'
import type { Fault } from './content/types.js'

/** An answer that is not 200: status and German message for the caller. */
export class HttpError extends Error {
  readonly statusCode: number
  /** Its name in the OpenAPI document, where a route declares it by `answers`; without one only the status is told. */
  readonly title: string | undefined

  constructor(statusCode: number, message: string, title?: string) {
    super(message)
    this.statusCode = statusCode
    this.title = title
  }
}

/** 400: the request breaks a rule of its endpoint. */
export class BadRequest extends HttpError {
  constructor(message: string, title?: string) {
    super(400, message, title)
  }
}

/** Told of an upload. */
const MAX_FAULTS = 200

/** 409: something else is in the way of it now. */
export class Conflict extends HttpError {
  constructor(message: string, title?: string) {
    super(409, message, title)
  }
}

/** The content has faults, so nothing was imported. */
export class FaultyContent extends BadRequest {
  readonly faults: Fault[]

  constructor(faults: Fault[]) {
    super(`Import abgebrochen: ${faults.length} Fehler in den Inhalten`)
    this.faults = faults
  }
}

/** An upload is not whole, or not what it says it is; `reason` is German. */
export class DamagedPackage extends BadRequest {
  constructor(reason: string) {
    super(`Das Paket ist beschädigt: ${reason}`, 'DamagedPackage')
  }
}

/** An upload has faults; the first of them are told. */
export class FaultyUpload extends FaultyContent {
  readonly total: number

  constructor({ faults, message }: FaultyContent) {
    super(faults.slice(0, MAX_FAULTS))
    this.message = message
    this.total = faults.length
  }
}

const KINDS: Record<SourceKind, string> = { anki: 'ein Anki-Paket', table: 'eine Tabelle', archive: 'ein Archiv' }

/** A source is updated by its own kind of files. */
export class OtherKind extends BadRequest {
  constructor({ name, kind }: { name: string; kind: SourceKind }, given: SourceKind) {
    super(`Die Quelle „${name}“ ist ${KINDS[kind]}, die Datei ist ${KINDS[given]}`)
  }
}

/** There is a source of that name, and nobody has said whether it is meant. */
export class SourceExists extends Conflict {
  readonly source: { id: number; name: string }

  constructor({ id, name }: { id: number; name: string }) {
    super(
      `Eine Quelle „${name}“ gibt es schon: source=${id} aktualisiert sie, new=true legt eine zweite an`,
      'SourceExists',
    )
    this.source = { id, name }
  }
}

/** A list of users has faults, so none of them was created. */
export class FaultyUsers extends BadRequest {
  readonly faults: RowFault[]

  constructor(faults: RowFault[]) {
    super(`Kein Benutzer angelegt: ${faults.length} Fehler in der Liste`)
    this.faults = faults
  }
}

/** The import would archive most cards, or most sheets, as if a part of the folder were missing. */
export class MostArchived extends Conflict {
  /** What it would do; API and command line allow it in different ways. */
  readonly reason: string

  constructor(kind: 'Karten' | 'Cheat Sheets', archived: number, live: number) {
    const reason = `Der Import würde ${archived} von ${live} ${kind} archivieren`
    super(`${reason}; force=true erlaubt es`, kind === 'Karten' ? 'MostCardsArchived' : 'MostSheetsArchived')
    this.reason = reason
  }
}

/** The pictures would take more room than `MEDIA_MAX_MB`. */
export class MediaFull extends HttpError {
  constructor(maxMegabytes: number) {
    super(413, `Die Bilder brauchten zusammen mehr als ${maxMegabytes} MB (MEDIA_MAX_MB)`, 'MediaFull')
  }
}

/** The disk of `TMP_DIR` is full. Only administrators upload, and they can do something about it. */
export const NO_ROOM = new HttpError(507, 'Auf dem Server ist kein Platz für die Datei (TMP_DIR)', 'NoRoom')

/** 500: the content folder itself cannot be read. Only administrators import, and they need to know which one it is. */
export class UnreadableContent extends HttpError {
  constructor(folder: string, code = 'unbekannter Fehler') {
    super(500, `Der Ordner der Inhalte (CONTENT_DIR) ist nicht lesbar: ${folder} (${code})`, 'UnreadableContent')
  }
}

/** The caller may come back after `retryAfter` seconds. */
export abstract class ComeBackLater extends HttpError {
  readonly retryAfter: number

  constructor(statusCode: number, message: string, title: string, retryAfter: number) {
    super(statusCode, message, title)
    this.retryAfter = retryAfter
  }
}

/** The service cannot answer now. */
export class Unavailable extends ComeBackLater {
  constructor(retryAfter = 2) {
    super(503, 'Dienst vorübergehend nicht verfügbar', 'Unavailable', retryAfter)
  }
}

/** The caller has tried too often. */
export class TooManyAttempts extends ComeBackLater {
  constructor(retryAfter: number) {
    super(429, 'Zu viele Versuche, bitte später erneut', 'TooMany', retryAfter)
  }
}

/** 403: it hands out access, and so needs a proof of who it is that is younger than that of the session. */
export class ProofTooOld extends HttpError {
  /** For the header `WWW-Authenticate`; in the words of RFC 9470. */
  readonly challenge = 'Session error="insufficient_user_authentication"'

  constructor() {
    super(403, 'Bitte erneut anmelden', 'ProofTooOld')
  }
}

// What has one text is one value: thrown as it is, and declared by the routes that may answer it.

export const WRONG_LOGOUT_TOKEN = new BadRequest('Das Abmelde-Token gilt nicht', 'WrongLogoutToken')
export const INVALID_JSON = new BadRequest('Ungültiger JSON-Inhalt', 'BadRequest')
export const MALFORMED_REQUEST = new BadRequest('Ungültige HTTP-Anfrage')
export const PASSKEY_INVALID = new BadRequest('Der Passkey ließ sich nicht einrichten', 'PasskeyInvalid')
export const INVALID_URL = new BadRequest('Ungültige URL')
export const NO_FILE = new BadRequest('Die Anfrage enthält keine Datei', 'NoFile')
export const NOT_A_PACKAGE = new BadRequest('Die Datei ist kein Anki-Paket', 'NotAPackage')
export const PACKAGE_TOO_NEW = new BadRequest('Das Paket braucht eine neuere Version dieses Dienstes', 'PackageTooNew')
export const READING_TOO_LONG = new BadRequest(
  'Die Datei ließ sich nicht in der erlaubten Zeit lesen',
  'ReadingTooLong',
)
/** Nobody is logged in, or the user has been deleted meanwhile. */
export const NOT_LOGGED_IN = new HttpError(401, 'Nicht angemeldet', 'Unauthorized')
export const WRONG_LOGIN = new HttpError(401, 'Benutzername oder Passwort falsch', 'WrongLogin')
export const PASSKEY_REFUSED = new HttpError(401, 'Die Anmeldung mit Passkey ist fehlgeschlagen', 'PasskeyRefused')
export const ADMINS_ONLY = new HttpError(403, 'Administratorrechte erforderlich', 'Forbidden')
export const CROSS_SITE = new HttpError(403, 'Anfrage von fremder Seite abgelehnt', 'CrossSite')
export const SESSIONS_ONLY = new HttpError(403, 'Mit einem API-Token nicht erlaubt', 'SessionOnly')
export const TOKEN_NOT_ALLOWED = new HttpError(403, 'Der API-Token darf das nicht', 'TokenNotAllowed')
export const PASSWORD_CHANGE_FIRST = new HttpError(403, 'Passwort muss zuerst geändert werden', 'PasswordChangeFirst')
export const PROOF_TOO_OLD = new ProofTooOld()
export const PASSWORD_LOGIN_OFF = new HttpError(403, 'Anmeldung mit Passwort ist abgeschaltet', 'PasswordLoginOff')
export const NAME_OF_PROVIDER = new HttpError(403, 'Der Anzeigename kommt vom Anbieter der Anmeldung', 'NameOfProvider')
/** Nobody hears it; the log says that the caller has gone. */
export const CALLER_GONE = new BadRequest('Die Verbindung wurde getrennt')
export const NOT_FOUND = new HttpError(404, 'Nicht gefunden')
export const WEB_NOT_BUILT = new HttpError(
  404,
  'Die Oberfläche ist noch nicht gebaut: „npm run build“ baut sie, danach den Dienst neu starten',
)
export const DECK_NOT_FOUND = new HttpError(404, 'Deck nicht gefunden', 'NoDeck')
export const CHEATSHEET_NOT_FOUND = new HttpError(404, 'Cheat Sheet nicht gefunden', 'NoCheatsheet')
export const CARD_NOT_FOUND = new HttpError(404, 'Karte nicht gefunden', 'NoCard')
export const REVIEW_NOT_FOUND = new HttpError(404, 'Bewertung nicht gefunden', 'NoReview')
export const SOURCE_NOT_FOUND = new HttpError(404, 'Quelle nicht gefunden', 'NoSource')
export const PICTURE_NOT_FOUND = new HttpError(404, 'Bild nicht gefunden', 'NoPicture')
export const REPORT_NOT_FOUND = new HttpError(404, 'Meldung nicht gefunden', 'NoReport')
export const USER_NOT_FOUND = new HttpError(404, 'Benutzer nicht gefunden', 'NoUser')
export const NO_PASSKEYS = new HttpError(404, 'Passkeys werden hier nicht angeboten', 'NoPasskeys')
export const NO_PROVIDER = new HttpError(404, 'Es ist kein Anbieter für die Anmeldung eingerichtet', 'NoProvider')
export const METHOD_NOT_ALLOWED = new HttpError(405, 'Methode nicht erlaubt')
export const REQUEST_TIMEOUT = new HttpError(408, 'Zeitüberschreitung der Anfrage')
export const IMPORT_RUNS = new Conflict('Import läuft bereits', 'ImportRuns')
export const CONTENT_CHANGES = new Conflict(
  'Die Inhalte werden gerade auch von anderer Stelle geändert; bitte den Import wiederholen',
  'ContentChanges',
)
export const TOO_MANY_REPORTS = new Conflict(
  'Es gibt schon 50 offene eigene Meldungen; bitte abwarten, bis einige davon erledigt sind',
  'TooManyReports',
)
export const REPORTED_AGAIN = new Conflict(
  'Zu dieser Karte gibt es schon eine neuere offene Meldung derselben Person',
  'ReportedAgain',
)
export const PASSKEY_KNOWN = new Conflict('Dieser Passkey ist schon eingerichtet', 'PasskeyKnown')
export const TOO_MANY_PASSKEYS = new Conflict(
  'Es gibt schon 50 Passkeys; bitte zuerst einen entfernen',
  'TooManyPasskeys',
)
export const PASSKEY_NEEDED = new Conflict('Dafür braucht das Konto zuerst einen Passkey', 'PasskeyNeeded')
export const EMERGENCY_BY_PASSWORD = new Conflict(
  'Ein Notfallzugang meldet sich mit Passwort an',
  'EmergencyByPassword',
)
export const LAST_PASSKEY = new Conflict(
  'Der letzte Passkey bleibt, solange sich das Konto nur mit Passkey anmeldet',
  'LastPasskey',
)
export const LAST_WAY_IN = new Conflict('Ohne diesen Weg könnte sich niemand mehr anmelden', 'LastWayIn')
export const OTHER_REVIEW = new Conflict('Diese "client_id" gehört zu einer anderen Bewertung', 'OtherReview')
export const NOT_THE_LAST = new Conflict('Nur die letzte Bewertung kann zurückgenommen werden', 'NotTheLast')
export const TOO_LARGE = new HttpError(413, 'Anfrage zu groß', 'TooLarge')
export const FILE_TOO_LARGE = new HttpError(413, 'Datei zu groß', 'FileTooLarge')
export const JSON_ONLY = new HttpError(415, 'Nur application/json wird unterstützt', 'Unsupported')
export const FILE_ONLY = new HttpError(415, 'Die Datei wird als application/octet-stream erwartet', 'FileOnly')
export const HEADERS_TOO_LARGE = new HttpError(431, 'Kopfzeilen zu groß')
export const INTERNAL_ERROR = new HttpError(500, 'Interner Serverfehler', 'Internal')
