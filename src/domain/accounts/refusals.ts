import { InvalidInput, Refusal } from '../refusal.js'
import type { RowFault } from './types.js'

export class FaultyUsers extends InvalidInput {
  readonly faults: RowFault[]

  constructor(faults: RowFault[], outcome: 'Kein Benutzer angelegt' | 'Nichts geändert' = 'Kein Benutzer angelegt') {
    super(`${outcome}: ${faults.length} Fehler in der Liste`, 'faulty_users')
    this.faults = faults
  }
}

export const PERSONNEL_NUMBER_TAKEN = new InvalidInput('Personalnummer ist schon vergeben', 'personnel_number_taken', {
  field: 'personnel_number',
})

export const OWN_PASSWORD = new InvalidInput(
  'Das eigene Passwort ändert man mit dem aktuellen: POST /api/auth/password',
  undefined,
  { field: 'password' },
)

/** The refusal of a PUT; user creation refuses a name that is taken with 400, as the specification requires. */
export const USERNAME_TAKEN = new Refusal('conflict', 'username_taken', 'Benutzername existiert bereits', {
  field: 'username',
})

/** The refusals of `confirm_disabled`; their details have the number that it should be */
export const TOO_MANY_MISSING = new Refusal(
  'conflict',
  'too_many_missing',
  'Mehr als ein Zehntel aller Konten fehlt in der Liste; bitte die Zahl bestätigen',
  { field: 'confirm_disabled', details: { missing: 300 } },
)
export const MISSING_NOT_CONFIRMED = new Refusal(
  'conflict',
  'missing_not_confirmed',
  'Bitte bestätigen, wie viele Konten deaktiviert werden',
  { field: 'confirm_disabled', details: { missing: 3 } },
)

/** The request has no valid session or API token, or the user has been deleted. */
export const NOT_LOGGED_IN = new Refusal('unauthenticated', 'not_logged_in', 'Nicht angemeldet')
/** The person has not logged in through the provider for `OIDC_RECHECK_DAYS`. */
export const PROVIDER_LOGIN_NEEDED = new Refusal(
  'unauthenticated',
  'provider_login_needed',
  'Bitte einmal über das Firmenkonto anmelden',
)
export const WRONG_LOGIN = new Refusal('unauthenticated', 'wrong_login', 'Benutzername oder Passwort falsch')
export const ADMINS_ONLY = new Refusal('forbidden', 'admins_only', 'Administratorrechte erforderlich')
export const AUDITORS_ONLY = new Refusal('forbidden', 'auditors_only', 'Das sehen nur Administratoren und Prüfer')
export const AUTHORS_ONLY = new Refusal('forbidden', 'authors_only', 'Dafür braucht dein Konto Autorenrechte')
export const NOT_AN_EDITOR = new Refusal(
  'forbidden',
  'not_an_editor',
  'Diese Quelle bearbeiten nur ihre Redaktion und Administratoren',
)
export const SESSIONS_ONLY = new Refusal('forbidden', 'sessions_only', 'Mit einem API-Token nicht erlaubt')
export const TOKEN_NOT_ALLOWED = new Refusal('forbidden', 'token_not_allowed', 'Der API-Token darf das nicht')
export const PASSWORD_CHANGE_FIRST = new Refusal(
  'forbidden',
  'password_change_first',
  'Passwort muss zuerst geändert werden',
)
/**
 * The request needs a recent login, for example to create an API token, but the last login or confirmation is too old.
 */
export const LOGIN_TOO_OLD = new Refusal('forbidden', 'proof_too_old', 'Bitte erneut anmelden')
export const PASSWORD_LOGIN_OFF = new Refusal(
  'forbidden',
  'password_login_off',
  'Anmeldung mit Passwort ist abgeschaltet',
)
export const USER_NOT_FOUND = new Refusal('not_found', 'user_not_found', 'Benutzer nicht gefunden')

export const TOKEN_NOT_FOUND = new Refusal('not_found', 'token_not_found', 'Token nicht gefunden')

export const NO_PASSKEYS = new Refusal('not_found', 'no_passkeys', 'Passkeys werden hier nicht angeboten')
export const PASSKEY_INVALID = new InvalidInput('Der Passkey ließ sich nicht einrichten', 'passkey_invalid')
export const PASSKEY_REFUSED = new Refusal(
  'unauthenticated',
  'passkey_refused',
  'Die Anmeldung mit Passkey ist fehlgeschlagen',
)
export const PASSKEY_KNOWN = new Refusal('conflict', 'passkey_known', 'Dieser Passkey ist schon eingerichtet', {
  field: 'credential',
})
export const TOO_MANY_PASSKEYS = new Refusal(
  'conflict',
  'too_many_passkeys',
  'Es gibt schon 50 Passkeys; bitte zuerst einen entfernen',
)
export const PASSKEY_NEEDED = new Refusal(
  'conflict',
  'passkey_needed',
  'Dafür braucht das Konto zuerst einen Passkey',
  { field: 'passkey_only' },
)
export const EMERGENCY_BY_PASSWORD = new Refusal(
  'conflict',
  'emergency_by_password',
  'Ein Notfallzugang meldet sich mit Passwort an',
  { field: 'passkey_only' },
)
export const LAST_PASSKEY = new Refusal(
  'conflict',
  'last_passkey',
  'Der letzte Passkey bleibt, solange sich das Konto nur mit Passkey anmeldet',
)
