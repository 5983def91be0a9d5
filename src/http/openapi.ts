import { needOf } from '../domain/accounts/scopes.js'
import {
  ADMINS_ONLY,
  CROSS_SITE,
  HttpError,
  INTERNAL_ERROR,
  INVALID_JSON,
  JSON_ONLY,
  NOT_LOGGED_IN,
  TOKEN_NOT_ALLOWED,
  TOO_LARGE,
  TooManyAttempts,
  Unavailable,
} from '../domain/refusals.js'
import { errorBody } from './error-body.js'
import { type DescribedRefusal, describeRefusal, ErrorBody, REFUSALS_KEY } from './schemas.js'

/** A JSON object of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = Record<string, any>

const DESCRIPTION = `Flashcards, multiple-choice quizzes and cheat sheets. Every answer is JSON, except the Anki export.

Log in with \`POST /api/auth/login\`, which sets a session cookie, or send an API token as \`Authorization: Bearer …\`.
A caller who is neither gets 401 for every path below the groups, known or not. Errors have one shape, with a German
\`message\` for people. A token may be limited to scopes: \`x-token-scope\` names the one that an operation needs (\`all\`:
all four; \`any\`: every token may; \`none\`: no token may). A path or method that no group knows is 404 (405 below \`/api/decks\`).
A user whose password must be changed gets 403 for everything but that (\`must_change_password\` of \`GET /api/auth/me\`).`

/** What `@fastify/swagger` needs besides the routes. */
export function describeApi(sessionCookie: string, version: string, basePath: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'svc-training', version, description: DESCRIPTION },
    // Paths are appended to it.
    servers: [{ url: basePath === '/' ? '/' : basePath.slice(0, -1), description: 'This service' }],
    tags: [
      { name: 'auth', description: 'Sessions, passwords and API tokens' },
      { name: 'decks', description: 'Decks, the statistics of the caller, the export' },
      { name: 'quiz', description: 'Multiple-choice questions and results' },
      { name: 'cheatsheets', description: 'Cheat sheets and their search' },
      { name: 'review', description: 'Scheduled reviews of the own cards' },
      { name: 'search', description: 'Decks, sheets and cards in one list' },
      { name: 'content', description: 'For administrators: the content folder, its import, reports of faulty cards' },
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

/** What any operation may answer, as far as its path and method tell. */
const SHARED = {
  invalidJson: describeRefusal(INVALID_JSON),
  notLoggedIn: describeRefusal(NOT_LOGGED_IN),
  adminsOnly: describeRefusal(ADMINS_ONLY),
  crossSite: describeRefusal(CROSS_SITE),
  tokenNotAllowed: describeRefusal(TOKEN_NOT_ALLOWED),
  tooLarge: describeRefusal(TOO_LARGE),
  jsonOnly: describeRefusal(JSON_ONLY),
  tooMany: describeRefusal(new TooManyAttempts(1)),
  internal: describeRefusal(INTERNAL_ERROR),
  unavailable: describeRefusal(new Unavailable()),
}

/**
 * Finishes the document that `@fastify/swagger` makes of the routes: schemas with a title get that name below
 * `components`, and each operation names its refusals: those that it declares by `answers`, and those of all.
 */
export function finishDocument(document: Json): Json {
  const { paths, components, ...rest } = structuredClone(document)
  const schemas: Json = {}
  nameSchemas(structuredClone(ErrorBody), schemas)
  const finished: Json = {}
  const refusals = new Map(Object.values(SHARED).map((one) => [one.title, one]))
  for (const [path, operations] of Object.entries<Json>(paths)) {
    // A HEAD that only repeats its GET would need a second operationId.
    const { head: _, ...others } = operations
    for (const [method, operation] of Object.entries<Json>(others)) {
      const need = operation.security?.length === 0 ? undefined : needOf(method.toUpperCase(), path)
      if (need !== undefined) operation['x-token-scope'] = need
      const own = takeOwnRefusals(operation)
      const possible = [...own, ...sharedRefusals(path, method, operation)]
      for (const refusal of possible) {
        const alike = own.filter(({ status }) => status === refusal.status)
        if (alike.length > 1) operation.responses[refusal.status] ??= refusalResponse(...alike)
        else refusals.set(refusal.title, refusal)
        operation.responses[refusal.status] ??= { $ref: `#/components/responses/${refusal.title}` }
      }
    }
    finished[path] = nameSchemas(others, schemas)
  }
  const inOrder = [...refusals.values()].sort((a, b) => a.status - b.status)
  const responses = Object.fromEntries(inOrder.map((one) => [one.title, refusalResponse(one)]))
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

/** What the operation declares by `answers`, in place of its `4XX` and `5XX`. */
function takeOwnRefusals({ responses }: Json): DescribedRefusal[] {
  // The media type is the one that the operation produces.
  const [refused] = Object.values<Json>(responses['4XX'].content)
  delete responses['4XX']
  delete responses['5XX']
  return refused?.schema[REFUSALS_KEY] ?? []
}

function sharedRefusals(path: string, method: string, { security }: Json): DescribedRefusal[] {
  const isPublic = security?.length === 0
  const isApi = path.startsWith('/api/')
  const changes = method !== 'get'
  return [
    SHARED.invalidJson,
    ...(isPublic ? [] : [SHARED.notLoggedIn]),
    ...(path.startsWith('/api/admin') ? [SHARED.adminsOnly] : changes ? [SHARED.crossSite] : []),
    ...(isPublic || !isApi ? [] : [SHARED.tokenNotAllowed]),
    ...(changes ? [SHARED.tooLarge, SHARED.jsonOnly] : []),
    ...(isApi ? [SHARED.tooMany] : []),
    SHARED.internal,
    SHARED.unavailable,
  ]
}

function headersOf(refusals: DescribedRefusal[]): Json {
  const challenge = refusals.find((one) => one.challenge !== undefined)?.challenge
  const headers = {
    ...(refusals.some(({ isForLater }) => isForLater) && {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
    }),
    ...(challenge !== undefined && {
      'WWW-Authenticate': {
        description: 'Only when the login is older than ten minutes: prove again who you are, then repeat the request.',
        schema: { type: 'string', examples: [challenge] },
      },
    }),
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}

/** One response for refusals of one status. */
function refusalResponse(...refusals: DescribedRefusal[]): Json {
  const exampleOf = ({ status, message }: DescribedRefusal) =>
    errorBody(new HttpError(status, message), '3f1c9a4e-6f0b-4f0e-9a55-0a3c2f7f0f11')
  const [first] = refusals as [DescribedRefusal]
  const examples = Object.fromEntries(refusals.map((one) => [one.title, { value: exampleOf(one) }]))
  return {
    description: refusals.map(({ message }) => message).join(' / '),
    ...headersOf(refusals),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...(refusals.length === 1 ? { example: exampleOf(first) } : { examples }),
      },
    },
  }
}
