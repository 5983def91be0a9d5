/** A JSON object of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = Record<string, any>

const DESCRIPTION = `Flashcards, multiple-choice quizzes and cheat sheets. Every answer is JSON, except the Anki export.

Log in with \`POST /api/auth/login\`, which sets a session cookie, or send an API token as \`Authorization: Bearer …\`.
A caller who is neither gets 401 for every path below the groups, known or not. Errors have one shape, with a German
\`message\` for people. A path or method that no group knows is 404 (405 below \`/api/decks\`).`

/** What `@fastify/swagger` needs besides the routes. */
export function describeApi(sessionCookie: string, version: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'svc-training', version, description: DESCRIPTION },
    servers: [{ url: '/', description: 'This service' }],
    tags: [
      { name: 'auth', description: 'Sessions, passwords and API tokens' },
      { name: 'decks', description: 'Decks, the statistics of the caller, the export' },
      { name: 'quiz', description: 'Multiple-choice questions and results' },
      { name: 'cheatsheets', description: 'Cheat sheets and their search' },
      { name: 'review', description: 'Scheduled reviews of the own cards' },
      { name: 'accounts', description: 'The own account; for administrators those of others, and the audit trail' },
      { name: 'admin', description: 'For administrators: users and import' },
      { name: 'health', description: 'For proxies and orchestrators' },
    ],
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'Set by the login.' } as const,
        token: { type: 'http', scheme: 'bearer', description: 'An API token; for scripts.' } as const,
      },
    },
    security: [{ session: [] }, { token: [] }],
  }
}

interface SharedError {
  name: string
  status: number
  error: string
  message: string
}

const ERRORS = {
  badRequest: error('BadRequest', 400, 'Bad Request', 'Ungültiger JSON-Inhalt'),
  unauthorized: error('Unauthorized', 401, 'Unauthorized', 'Nicht angemeldet'),
  wrongLogin: error('WrongLogin', 401, 'Unauthorized', 'Benutzername oder Passwort falsch'),
  forbidden: error('Forbidden', 403, 'Forbidden', 'Administratorrechte erforderlich'),
  crossSite: error('CrossSite', 403, 'Forbidden', 'Anfrage von fremder Seite abgelehnt'),
  sessionOnly: error('SessionOnly', 403, 'Forbidden', 'Mit einem API-Token nicht erlaubt'),
  noDeck: error('NoDeck', 404, 'Not Found', 'Deck nicht gefunden'),
  noCheatsheet: error('NoCheatsheet', 404, 'Not Found', 'Cheat Sheet nicht gefunden'),
  noCard: error('NoCard', 404, 'Not Found', 'Karte nicht gefunden'),
  noReview: error('NoReview', 404, 'Not Found', 'Bewertung nicht gefunden'),
  noUser: error('NoUser', 404, 'Not Found', 'Benutzer nicht gefunden'),
  importRuns: error('ImportRuns', 409, 'Conflict', 'Import läuft bereits'),
  otherReview: error('OtherReview', 409, 'Conflict', 'Diese "client_id" gehört zu einer anderen Bewertung'),
  notTheLast: error('NotTheLast', 409, 'Conflict', 'Nur die letzte Bewertung kann zurückgenommen werden'),
  tooLarge: error('TooLarge', 413, 'Payload Too Large', 'Anfrage zu groß'),
  unsupported: error('Unsupported', 415, 'Unsupported Media Type', 'Nur application/json wird unterstützt'),
  tooMany: error('TooMany', 429, 'Too Many Requests', 'Zu viele Versuche, bitte später erneut'),
  internal: error('Internal', 500, 'Internal Server Error', 'Interner Serverfehler'),
  unavailable: error('Unavailable', 503, 'Service Unavailable', 'Dienst vorübergehend nicht verfügbar'),
}

/** What an operation refuses besides what its path and method tell. */
const REFUSALS: Record<string, SharedError[]> = {
  login: [ERRORS.wrongLogin],
  changePassword: [ERRORS.sessionOnly],
  createToken: [ERRORS.sessionOnly],
  getDeck: [ERRORS.noDeck],
  getCheatsheet: [ERRORS.noCheatsheet],
  getReviewQueue: [ERRORS.noDeck],
  listReviewCards: [ERRORS.noDeck],
  getReviewHistory: [ERRORS.noDeck],
  reviewCard: [ERRORS.noCard, ERRORS.otherReview],
  suspendCard: [ERRORS.noCard],
  resetCard: [ERRORS.noCard],
  undoReview: [ERRORS.noReview, ERRORS.notTheLast],
  getAccount: [ERRORS.forbidden, ERRORS.noUser],
  changeAccount: [ERRORS.forbidden, ERRORS.noUser],
  listAuditEntries: [ERRORS.forbidden],
  importContent: [ERRORS.importRuns],
}

function error(name: string, status: number, english: string, message: string): SharedError {
  return { name, status, error: english, message }
}

/**
 * Finishes the document that `@fastify/swagger` makes of the routes: schemas with a title get that name below
 * `components`, and each operation names the errors that it can answer with, which the routes declare as `4xx`.
 */
export function finishDocument(document: Json): Json {
  const { paths, components, ...rest } = structuredClone(document)
  const schemas: Json = {}
  const finished: Json = {}
  for (const [path, operations] of Object.entries<Json>(paths)) {
    // A HEAD that only repeats its GET would need a second operationId.
    const { head: _, ...others } = operations
    const named = nameSchemas(others, schemas)
    for (const [method, operation] of Object.entries<Json>(named)) addErrors(path, method, operation)
    finished[path] = named
  }
  const responses = Object.fromEntries(Object.values(ERRORS).map((one) => [one.name, errorResponse(one)]))
  return { ...rest, paths: finished, components: { ...components, schemas, responses } }
}

/** Replaces each schema that has a title by a reference and collects it; inner ones first. */
function nameSchemas(value: Json, schemas: Json): Json {
  if (Array.isArray(value)) return value.map((entry) => nameSchemas(entry, schemas))
  if (typeof value !== 'object' || value === null) return value
  const copy: Json = {}
  for (const [key, entry] of Object.entries(value)) {
    copy[key] = key === 'examples' ? entry : nameSchemas(entry, schemas)
  }
  if (typeof copy.title !== 'string' || typeof copy.type !== 'string') return copy
  const { title, ...schema } = copy
  schemas[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

function addErrors(path: string, method: string, operation: Json): void {
  const { responses, operationId } = operation
  const isPublic = operation.security?.length === 0
  const isApi = path.startsWith('/api/')
  const changes = method !== 'get'
  const possible = [
    ...(REFUSALS[operationId] ?? []),
    ERRORS.badRequest,
    ...(isPublic ? [] : [ERRORS.unauthorized]),
    ...(path.startsWith('/api/admin') ? [ERRORS.forbidden] : changes ? [ERRORS.crossSite] : []),
    ...(changes ? [ERRORS.tooLarge, ERRORS.unsupported] : []),
    ...(isApi ? [ERRORS.tooMany] : []),
    ERRORS.internal,
    ERRORS.unavailable,
  ]
  delete responses['4XX']
  delete responses['5XX']
  for (const { name, status } of possible) responses[status] ??= { $ref: `#/components/responses/${name}` }
}

function errorResponse({ status, error, message }: SharedError): Json {
  const isRetryable = status === 429 || status === 503
  const example = {
    statusCode: status,
    error,
    message,
    ...(status >= 500 && { requestId: '3f1c9a4e-6f0b-4f0e-9a55-0a3c2f7f0f11' }),
  }
  return {
    description: message,
    ...(isRetryable && {
      headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
    }),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  }
}
