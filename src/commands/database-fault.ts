import pg from 'pg'
import { isDatabaseUnavailable } from '../../db/errors.js'

/**
 * German descriptions of SQLSTATE codes for the operator.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const BY_CODE: [code: RegExp, meaning: string][] = [
  [/^28P01/, 'DATABASE_URL: Benutzer oder Passwort sind falsch'],
  [/^28/, 'DATABASE_URL: Der Server lässt diesen Benutzer nicht zu'],
  [/^3D000/, 'DATABASE_URL: Diese Datenbank gibt es auf dem Server nicht'],
  [/^3F000/, 'DATABASE_URL: Der Benutzer hat kein Schema, in dem er Tabellen anlegen darf'],
  [/^25006/, 'DATABASE_URL: In diese Datenbank kann man nicht schreiben'],
  [/^42501/, 'DATABASE_URL: Dem Benutzer fehlt ein Recht in der Datenbank'],
  [/^57014/, 'Die Datenbank hat eine Anweisung abgebrochen, die zu lange dauerte'],
  [/^(40001|40P01|55P03)/, 'Die Datenbank war mit anderem beschäftigt, bitte noch einmal versuchen'],
  [/^53100/, 'Der Datenträger der Datenbank ist voll'],
]

/** German descriptions of Node's error codes, and of messages of errors without a code */
const BY_CODE_OR_TEXT: [text: RegExp, meaning: string][] = [
  [/^The server does not support SSL/, 'DATABASE_URL: Der Server bietet keine Verschlüsselung (TLS) an'],
  [/^SASL: .*password must be/, 'DATABASE_URL: Der Server verlangt ein Passwort'],
  [/^Query read timeout/, 'Die Datenbank hat auf eine Anweisung zu lange nicht geantwortet'],
  [
    /^[A-Z_]*CERT|^ERR_(SSL|TLS)_|^EPROTO|^UNABLE_TO_/,
    'DATABASE_URL: Die verschlüsselte Verbindung (TLS) kommt nicht zustande',
  ],
]

const EXTENSION = /extension "?pg_trgm/
const MISSING_EXTENSION =
  'DATABASE_URL: In der Datenbank fehlt die Erweiterung pg_trgm, ein Administrator muss sie anlegen (CREATE EXTENSION pg_trgm)'

/**
 * Describes a database fault in one German line that ends with the message of the error. Returns undefined for other
 * errors.
 * @example describeDatabaseFault(error) // 'Die Datenbank ist nicht erreichbar: connect ECONNREFUSED 127.0.0.1:5432'
 */
export function describeDatabaseFault(error: Error): string | undefined {
  const meaning = findMeaning(error)
  return meaning === undefined ? undefined : `${meaning}: ${reason(error)}`.replaceAll(/\s+/g, ' ')
}

function findMeaning(error: Error): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof pg.DatabaseError) {
    if (EXTENSION.test(message)) return MISSING_EXTENSION
    const [, meaning] = BY_CODE.find(([pattern]) => pattern.test(code)) ?? []
    if (meaning !== undefined) return meaning
  } else {
    const [, meaning] = BY_CODE_OR_TEXT.find(([pattern]) => pattern.test(code || message)) ?? []
    if (meaning !== undefined) return meaning
  }
  return isDatabaseUnavailable(error) ? 'Die Datenbank ist nicht erreichbar' : undefined
}

/** Returns the message of an error, or all messages of an AggregateError, as for a host with several addresses. */
function reason(error: Error): string {
  return error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join(', ') : error.message
}
