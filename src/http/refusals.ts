import { InvalidInput, Refusal, ServiceStopping, Unavailable } from '../domain/refusal.js'

export const INVALID_JSON = new InvalidInput('Ungültiger JSON-Inhalt', 'invalid_json')
export const MALFORMED_REQUEST = new InvalidInput('Ungültige HTTP-Anfrage', 'malformed_request')
export const INVALID_URL = new InvalidInput('Ungültige URL', 'invalid_url')
export const CROSS_SITE = new Refusal('forbidden', 'cross_site', 'Anfrage von fremder Seite abgelehnt')
export const NOT_FOUND = new Refusal('not_found', 'not_found', 'Nicht gefunden')
export const WEB_NOT_BUILT = new Refusal(
  'not_found',
  'web_not_built',
  'Die Oberfläche ist noch nicht gebaut: „npm run build“ baut sie, danach den Dienst neu starten',
)
export const METHOD_NOT_ALLOWED = new Refusal('method_not_allowed', 'method_not_allowed', 'Methode nicht erlaubt')
export const REQUEST_TIMEOUT = new Refusal('timeout', 'request_timeout', 'Zeitüberschreitung der Anfrage')
export const TOO_LARGE = new Refusal('too_large', 'body_too_large', 'Anfrage zu groß')
export const JSON_ONLY = new Refusal('unsupported', 'json_only', 'Nur application/json wird unterstützt')
export const FILE_ONLY = new Refusal('unsupported', 'file_only', 'Die Datei wird als application/octet-stream erwartet')
export const HEADERS_TOO_LARGE = new Refusal('headers_too_large', 'headers_too_large', 'Kopfzeilen zu groß')
export const INTERNAL_ERROR = new Refusal('internal', 'internal_error', 'Interner Serverfehler')

/** Returns the refusal for requests that match no endpoint of a route group. */
export function unknownEndpoint(message: string): Refusal {
  return new Refusal('not_found', 'unknown_endpoint', message)
}

/** Refusals of requests that may run until the service shuts down */
export const SHUTDOWN_REFUSALS = [new Unavailable(), new ServiceStopping()]
