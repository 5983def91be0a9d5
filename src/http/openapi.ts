import { STATUS_CODES } from 'node:http'
import { ADMINS_ONLY, NOT_LOGGED_IN, SESSIONS_ONLY, TOKEN_NOT_ALLOWED } from '../domain/accounts/refusals.js'
import { needOf } from '../domain/accounts/scopes.js'
import { TooManyAttempts, Unavailable } from '../domain/refusal.js'
import { LOGIN_CHALLENGE } from './error-body.js'
import { CROSS_SITE, INTERNAL_ERROR, INVALID_JSON, JSON_ONLY, TOO_LARGE } from './refusals.js'
import { type DescribedRefusal, describeRefusal, ErrorBody, REFUSALS_KEY } from './schemas.js'

// biome-ignore lint/suspicious/noExplicitAny: the document is processed as plain JSON
type Json = Record<string, any>

const DESCRIPTION = `Flashcards, multiple-choice quizzes and cheat sheets. Every response is JSON, except the Anki
export.

Log in with \`POST /api/auth/login\`, which sets a session cookie, or send an API token as \`Authorization: Bearer
…\`. Without either, every path below the groups gets 401, whether it exists or not. All errors have the same shape,
with a German \`message\` for users; the header \`X-Error-Code\` identifies the refusal for programs. A token may be
limited to scopes: \`x-token-scope\` names the one that an operation needs (\`all\`: all four; \`any\`: every token
except those of \`scim\` may; \`itself\`: every token may; \`none\`: no token may). HEAD of a public operation answers as GET, without a body. An unknown path or method gets 404 (405 below \`/api/decks\`). A user who must change
the password gets 403 for all other requests (\`must_change_password\` of \`GET /api/auth/me\`).`

export function describeApi(sessionCookie: string, version: string, basePath: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'svc-training', version, description: DESCRIPTION },
    // Paths of the document are relative to this address.
    servers: [{ url: basePath === '/' ? '/' : basePath.slice(0, -1), description: 'This service' }],
    tags: [
      { name: 'auth', description: 'Sessions, passwords and API tokens' },
      { name: 'decks', description: "Decks, the caller's statistics, export" },
      { name: 'quiz', description: 'Multiple-choice questions and results' },
      { name: 'cheatsheets', description: 'Cheat sheets and their search' },
      { name: 'review', description: 'Scheduled reviews of the caller' },
      { name: 'tests', description: 'Tests that the service judges' },
      { name: 'variants', description: 'The language in which the caller wants content that has variants' },
      { name: 'search', description: 'Search over decks, sheets and cards' },
      {
        name: 'content',
        description:
          'For authors: sources, decks, cards, sheets, reports; for administrators: the content folder, its import',
      },
      { name: 'setup', description: 'For administrators: what is left to set up' },
      { name: 'accounts', description: "The caller's account; for administrators all accounts and the audit trail" },
      { name: 'teams', description: 'For administrators: teams and members; for leads their own teams' },
      { name: 'proofs', description: 'Proofs of completed assignments, and their public verification' },
      {
        name: 'assignments',
        description: "The caller's assignments; for authors, leads and responsible persons those of others",
      },
      { name: 'calendar', description: "Due days of the caller's tasks for calendar programs" },
      { name: 'mail', description: "The caller's address and mails; for administrators the outbox" },
      { name: 'webhooks', description: 'For administrators: events for other systems' },
      { name: 'scim', description: 'SCIM 2.0 for identity providers; only for tokens with the scope `scim`' },
      { name: 'admin', description: 'For administrators: users and import' },
      { name: 'health', description: 'For proxies and orchestrators' },
    ],
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'Session cookie, set by the login.',
        } as const,
        token: { type: 'http', scheme: 'bearer', description: 'An API token; for scripts.' } as const,
      },
    },
    security: [{ session: [] }, { token: [] }],
  }
}

/** Refusals that the document assigns to an operation by its path, method, security and token scope */
const SHARED = {
  invalidJson: describeRefusal(INVALID_JSON),
  notLoggedIn: describeRefusal(NOT_LOGGED_IN),
  adminsOnly: describeRefusal(ADMINS_ONLY),
  crossSite: describeRefusal(CROSS_SITE),
  sessionsOnly: describeRefusal(SESSIONS_ONLY),
  tokenNotAllowed: describeRefusal(TOKEN_NOT_ALLOWED),
  tooLarge: describeRefusal(TOO_LARGE),
  jsonOnly: describeRefusal(JSON_ONLY),
  tooMany: describeRefusal(new TooManyAttempts(1)),
  internal: describeRefusal(INTERNAL_ERROR),
  unavailable: describeRefusal(new Unavailable()),
}

/**
 * Completes the document of `@fastify/swagger`: schemas with a title become named components, and each operation lists
 * the refusals declared by `responses` and the shared ones.
 */
export function finishDocument(document: Json): Json {
  const { paths, components, ...rest } = structuredClone(document)
  const schemas: Json = {}
  nameSchemas(structuredClone(ErrorBody), schemas)
  const finished: Json = {}
  const refusals = new Map(Object.values(SHARED).map((one) => [one.code, one]))
  const withHeaders = mergeHeaders(paths)
  for (const [path, operations] of Object.entries<Json>(paths)) {
    // HEAD operations are left out, because each would need its own operationId.
    const { head: _, ...others } = operations
    for (const [method, operation] of Object.entries<Json>(others)) {
      const need =
        operation.security?.length === 0
          ? undefined
          : needOf(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'))
      if (need !== undefined) operation['x-token-scope'] = need
      if (path.startsWith('/scim/')) {
        describeScim(operation)
        continue
      }
      for (const parameter of operation.parameters ?? []) {
        if (parameter.schema.deprecated) parameter.deprecated = true
      }
      const own = [...(need === 'none' ? [SHARED.sessionsOnly] : []), ...takeOwnRefusals(operation, withHeaders)]
      const possible = [...own, ...sharedRefusals(path, method, operation)]
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        if (Number(status) >= 400) response.headers = headersOf(possible.filter((one) => one.status === Number(status)))
      }
      for (const refusal of possible) {
        const alike = own.filter(({ status }) => status === refusal.status)
        if (alike.length > 1) operation.responses[refusal.status] ??= refusalResponse(...alike)
        else refusals.set(refusal.code, refusal)
        operation.responses[refusal.status] ??= { $ref: `#/components/responses/${componentName(refusal)}` }
      }
    }
    finished[path] = nameSchemas(others, schemas)
  }
  const inOrder = [...refusals.values()].sort((a, b) => a.status - b.status)
  const responses = Object.fromEntries(inOrder.map((one) => [componentName(one), refusalResponse(one)]))
  return { ...rest, paths: finished, components: { ...components, schemas, responses } }
}

/** Completes an operation of SCIM, whose errors have a form of their own. */
function describeScim(operation: Json): void {
  operation.security = [{ token: [] }]
  for (const status of ['4XX', '5XX']) {
    const response = operation.responses[status]
    response.description = 'An error in the form of RFC 7644 (3.12)'
    response.headers = {
      'X-Error-Code': {
        description: 'Stable code of the refusal, for programs.',
        schema: { type: 'string', examples: ['scim_uniqueness'] },
      },
      'Retry-After': { description: 'Seconds to wait; with 429 and 503.', schema: { type: 'integer' } },
    }
  }
}

/**
 * Returns a copy in which each schema with a title and a single type is replaced with a reference, and adds these
 * schemas to `schemas`, inner ones first. A nullable schema stays inline, because its type is a list.
 */
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

/** Removes the `4XX` and `5XX` responses of an operation. Returns the refusals that `responses` stored in `4XX`. */
function takeOwnRefusals(operation: Json, withHeaders: Map<string, RefusalHeaders>): DescribedRefusal[] {
  const own = ownRefusals(operation)
  delete operation.responses['4XX']
  delete operation.responses['5XX']
  return own.map((refusal) => ({ ...refusal, ...withHeaders.get(refusal.code) }))
}

function ownRefusals({ responses }: Json): DescribedRefusal[] {
  // The content has one entry per media type; all entries have the same schema.
  const [refused] = Object.values<Json>(responses['4XX'].content)
  return refused?.schema[REFUSALS_KEY] ?? []
}

type RefusalHeaders = Pick<DescribedRefusal, 'hasField' | 'hasDetails'>

/** Returns by code which headers a refusal has in any operation, because a refusal is described once for all of them. */
function mergeHeaders(paths: Json): Map<string, RefusalHeaders> {
  const merged = new Map<string, RefusalHeaders>()
  const operations = Object.values<Json>(paths).flatMap((methods) => Object.values<Json>(methods))
  for (const { code, hasField, hasDetails } of operations.flatMap(ownRefusals)) {
    const known = merged.get(code)
    merged.set(code, {
      hasField: hasField || known?.hasField === true,
      hasDetails: hasDetails || known?.hasDetails === true,
    })
  }
  return merged
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
  return {
    'X-Error-Code': {
      description: 'Stable code of the refusal, for programs.',
      schema: { type: 'string', examples: refusals.map(({ code }) => code) },
    },
    ...(refusals.some(({ status, hasField }) => status === 400 || hasField) && {
      'X-Error-Field': {
        description: 'Path of the faulty field in the body, or name of the query parameter; absent if there is none.',
        schema: { type: 'string', examples: ['question'] },
      },
    }),
    ...(refusals.some(({ status, hasDetails }) => status === 400 || hasDetails) && {
      'X-Error-Details': {
        description: 'Values for programs as a JSON object, such as a limit; absent if there are none.',
        schema: { type: 'string', examples: ['{"maximum":200}'] },
      },
    }),
    ...(refusals.some(({ isForLater }) => isForLater) && {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
    }),
    ...(refusals.some(({ asksForLogin }) => asksForLogin) && {
      'WWW-Authenticate': {
        description: 'Present if the login is older than ten minutes: confirm it, then repeat the request.',
        schema: { type: 'string', examples: [LOGIN_CHALLENGE] },
      },
    }),
  }
}

/** Converts a code to the name of its response component: `deck_not_found` to `DeckNotFound`. */
function componentName({ code }: DescribedRefusal): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function refusalResponse(...refusals: DescribedRefusal[]): Json {
  const exampleOf = ({ status, message }: DescribedRefusal) => ({
    statusCode: status,
    error: STATUS_CODES[status],
    message,
    ...(status >= 500 && { requestId: '3f1c9a4e-6f0b-4f0e-9a55-0a3c2f7f0f11' }),
  })
  const [first] = refusals as [DescribedRefusal]
  const examples = Object.fromEntries(refusals.map((one) => [componentName(one), { value: exampleOf(one) }]))
  return {
    description: refusals.map(({ message }) => message).join(' / '),
    headers: headersOf(refusals),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...(refusals.length === 1 ? { example: exampleOf(first) } : { examples }),
      },
    },
  }
}
