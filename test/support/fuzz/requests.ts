import type { Arbitrary } from 'fast-check'
import { anyCharacter } from '../arbitraries.js'
import type { Json } from '../openapi.js'
import { gifOf, targetOf } from '../pictures.js'
import fc from '../property.js'

const CALLERS = ['anonymous', 'learner', 'admin', 'learnerToken', 'adminToken'] as const
export type CallerName = (typeof CALLERS)[number] | 'scimToken'

export interface Operation {
  id: string
  method: string
  path: string
  isPublic: boolean
  isAdmin: boolean
  /** What a token needs (`x-token-scope`); undefined for a public operation */
  tokenScope: string | undefined
  queryNames: string[]
  queryExamples: Map<string, string[]>
  bodySchema: Json | undefined
  takesFile: boolean
}

export interface FuzzRequest {
  operation: Operation
  caller: CallerName
  method: string
  /** Path and query; may contain `LATEST_ID`, which is replaced before the request is sent */
  url: string
  headers: Record<string, string>
  /** Base64, so that a printed request can be repeated */
  body: string | undefined
}

export function listOperations(document: Json): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      isPublic: operation.security?.length === 0,
      isAdmin:
        /^\/api\/(admin\/|mail\/(outbox|test)|teams|webhooks|setup|accounts(\/?$|\/(audit|bulk|service|by-|\{id\}))|content\/(?!export|media\/))/.test(
          path,
        ),
      tokenScope: operation['x-token-scope'],
      queryNames: (operation.parameters ?? []).filter((one: Json) => one.in === 'query').map((one: Json) => one.name),
      queryExamples: new Map(
        (operation.parameters ?? [])
          .filter((one: Json) => one.in === 'query')
          .map((one: Json) => [one.name, one.example ? [String(one.example)] : []]),
      ),
      bodySchema: withExamples(operation.requestBody?.content['application/json']),
      takesFile: operation.requestBody?.content['application/octet-stream'] !== undefined,
    })),
  )
}

/** Returns the schema of a body with the examples of the body, which the document may have beside the schema. */
function withExamples(media: Json): Json | undefined {
  const several = Object.values<Json>(media?.examples ?? {}).map(({ value }) => value)
  const examples = media?.example === undefined ? several : [media.example]
  return examples.length === 0 ? media?.schema : { ...media.schema, examples }
}

const HOSTILE_TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\u202e', '\ufeff', 'İ', 'ﬀ', '😀'.repeat(150), 'ß'.repeat(1_500)],
  ...["'", "' or 1=1 --", '"; drop table users; --', '\\', '\\\\', '%', '_%', '$1', '$(id)', '`id`', '{{7*7}}'],
  ...['../../etc/passwd', '..\\..\\boot.ini', '/etc/passwd\0.md', 'file:///etc/passwd', '<script>alert(1)</script>'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true', 'NaN', 'Infinity'],
  ...[
    '0',
    '-0',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '1e309',
    '0x10',
    '2147483647',
    '2147483648',
    '9007199254740993',
    '1'.repeat(400),
  ],
  ...['2026-13-45', '10000-01-01', '-infinity', '\t1', '1 ', '١٢'],
]
/** Ids of editable cards in one deck */
const EDITABLE_CARDS = [31, 32, 33, 40, 50, 60]
/** Plausible values of paths, queries and bodies, such as slugs, search terms and ratings */
const KNOWN_TEXTS = [
  'git',
  'linux',
  'sql',
  'all',
  'git-befehle',
  'stash',
  'export-anki',
  'search',
  'new',
  'due',
  'easy',
]
export const KNOWN_PICTURE = gifOf('fuzz')
/** Username of an author who may become an editor of a source */
export const KNOWN_AUTHOR = 'autorin'
export const KNOWN_ID = 5_000
/** External id of a person and of a team */
export const KNOWN_EXTERNAL_ID = 'P-417'
/** Slug of English variants of a deck and a sheet */
export const KNOWN_VARIANT = 'stash'
/** Slugs of tests and of their English variants */
export const KNOWN_TESTS = { git: 'stash', 'git-befehle': 'search', sql: 'new', linux: 'due' }
const KNOWN_SLUGS = ['git', 'git-befehle']
const KNOWN_NUMBERS = fc
  .oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: -5, max: 400 }), fc.constantFrom(...EDITABLE_CARDS))
  .map(String)

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.double().map(String),
)
const likelyText = fc.oneof(fc.constantFrom(...KNOWN_TEXTS), KNOWN_NUMBERS)
const anyText = fc.oneof({ weight: 2, arbitrary: likelyText }, { weight: 1, arbitrary: hostileText })

/** Parts of paths that are sent as they are, such as invalid escapes, invalid UTF-8, encoded dots and slashes */
const RAW_PIECES = [
  '%ZZ',
  '%',
  '%0',
  '%00',
  '%C0%AF',
  '%FF',
  '%2F',
  '%2e%2e',
  '..',
  '.',
  ';a=1',
  '%0d%0a',
  '%23',
  'ä',
  '@',
]
const rawSegment = fc
  .array(fc.constantFrom(...RAW_PIECES, 'a', '1'), { minLength: 1, maxLength: 4 })
  .map((all) => all.join(''))

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

export const LATEST_ID = '{latest}'

const SCIM_SCHEMAS = 'urn:ietf:params:scim:schemas'
/** Ids that are words, by path */
const WORD_IDS: Record<string, string[]> = {
  '/api/setup/{id}': ['backup', 'mail', 'password'],
  '/scim/v2/ResourceTypes/{id}': ['User', 'Group'],
  '/scim/v2/Schemas/{id}': [`${SCIM_SCHEMAS}:core:2.0:User`, `${SCIM_SCHEMAS}:extension:enterprise:2.0:User`],
}

function segment(name: string, path: string): Arbitrary<string> {
  const known: Record<string, Arbitrary<string>> = {
    slug: fc.constantFrom(...KNOWN_TEXTS, ...KNOWN_SLUGS, ...KNOWN_SLUGS, ...KNOWN_SLUGS, ...KNOWN_SLUGS),
    sha: fc.constantFrom(targetOf(KNOWN_PICTURE).slice('media/'.length), '0'.repeat(64)),
    username: fc.constant(KNOWN_AUTHOR),
    userId: fc.constant(String(KNOWN_ID)),
    external_id: fc.constant(KNOWN_EXTERNAL_ID),
    version: fc.constantFrom('1', '2'),
  }
  const words = WORD_IDS[path]
  const likely = words === undefined ? (known[name] ?? KNOWN_NUMBERS) : fc.constantFrom(...words)
  return fc.oneof(
    { weight: 6, arbitrary: likely.map(encode) },
    { weight: 3, arbitrary: hostileText.map(encode) },
    { weight: 1, arbitrary: rawSegment },
    { weight: ['id', 'change_id'].includes(name) ? 3 : 0, arbitrary: fc.constant(LATEST_ID) },
  )
}

function pathOf(template: string): Arbitrary<string> {
  const parts = template.split(/\{([^}]+)\}/)
  const filled = fc.tuple(
    ...parts.map((part, index) => (index % 2 === 0 ? fc.constant(part) : segment(part, template))),
  )
  const ending = fc.oneof(
    { weight: 18, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', '/%2e%2e', '.json') },
  )
  return fc.tuple(filled, ending).map(([all, end]) => all.join('') + end)
}

/** The log of changes begins later, so `changed_since` accepts this instant. */
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString()

function queryOf({ queryNames: names, queryExamples }: Operation): Arbitrary<string> {
  const textFor = (key: string) => {
    const examples = key === 'changed_since' ? [YESTERDAY] : (queryExamples.get(key) ?? [])
    return examples.length === 0 ? anyText : fc.oneof(anyText, fc.constantFrom(...examples))
  }
  const name = names.length === 0 ? fc.constant('x') : fc.constantFrom(...names, ...names, 'x', '__proto__', 'q[]')
  const pair = fc.oneof(
    { weight: 9, arbitrary: name.chain((key) => textFor(key).map((value) => `${encode(key)}=${encode(value)}`)) },
    { weight: 1, arbitrary: fc.tuple(name, rawSegment).map(([key, value]) => `${key}=${value}`) },
  )
  const pairs = fc.array(pair, { minLength: 1, maxLength: 3 }).map((all) => `?${all.join('&')}`)
  const share = names.length === 0 ? 1 : 8
  return fc.oneof({ weight: share, arbitrary: pairs }, { weight: 4, arbitrary: fc.constant('') })
}

/** Draws a value that is valid for the schema, or almost valid. */
function fittingValue(name: string, schema: Json): Arbitrary<unknown> {
  const types: string[] = [schema.type ?? 'unknown'].flat()
  if (schema.anyOf !== undefined) return fittingValue(name, schema.anyOf[0])
  if (schema.properties !== undefined) return fittingBody(schema, 1)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (name === 'card_id' || name === 'source_id') return fc.integer({ min: 1, max: 60 })
  if (name === 'deck' && types.includes('string')) return fc.constantFrom('sql', 'sql', ...KNOWN_TEXTS)
  if (name === 'ids') return fc.subarray(EDITABLE_CARDS, { minLength: 1 })
  if (name === 'before') return fc.constantFrom(null, ...EDITABLE_CARDS)
  if (name === 'version') return fc.integer({ min: 1, max: 3 })
  if (types.includes('integer')) {
    return fc.integer({ min: schema.minimum ?? 1, max: Math.min(schema.maximum ?? 300, 40_000) })
  }
  if (types.includes('number')) return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1, noNaN: true })
  if (types.includes('boolean')) return fc.boolean()
  if (types.includes('string')) {
    const word = fc.string({ minLength: schema.minLength ?? 6, maxLength: 12 })
    return fc.oneof(word, fc.constantFrom(...KNOWN_TEXTS, ...(schema.examples ?? [])))
  }
  if (types.includes('array')) {
    return fc.array(fittingValue(name, schema.items), { minLength: schema.minItems ?? 0, maxLength: 4 })
  }
  // Schemas of objects with properties were handled above; this schema describes a map from names to strings.
  if (types.includes('object'))
    return fc.dictionary(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), { maxKeys: 3 })
  return fc.oneof(fc.integer({ min: -5, max: 50 }), fc.boolean())
}

const hostileValue = fc.oneof(
  hostileText,
  fc.jsonValue(),
  fc.constantFrom(null, true, [], {}, [[]], 1e308, -1, 2 ** 31, 2 ** 53, 0.1, { toString: 1 }, [1, 'x']),
)

function fittingBody(schema: Json, hostileShare: number): Arbitrary<unknown> {
  const required: string[] = schema.required ?? []
  const value = (name: string, one: Json) =>
    fc.oneof(
      { weight: 10, arbitrary: fittingValue(name, one) },
      { weight: hostileShare, arbitrary: hostileValue as Arbitrary<unknown> },
    )
  const fields = Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([name, one]) => [name, value(name, one)]),
  )
  return fc.record(fields, { requiredKeys: hostileShare > 0 ? [] : required })
}

function smallBody({ properties, required = [], examples = [] }: Json): Arbitrary<unknown> {
  if (examples.length > 0) return fc.constantFrom(...examples)
  const names = Object.entries<Json>(properties ?? {}).filter(([name]) => required.includes(name))
  return fc.record(Object.fromEntries(names.map(([name, one]) => [name, fittingValue(name, one)])))
}

const BROKEN_BODIES = [
  ...[
    '{',
    '[]',
    'null',
    '"text"',
    '1',
    '{"a":1}{',
    '{"__proto__":{"is_admin":true}}',
    '{"constructor":{"prototype":1}}',
  ],
  ...['{"username":"a","username":"b"}', '\ufeff{}', "{'a':1}", '{"a":\u0001}', '{"total":1e999}', '{"total":-1e999}'],
  ...['['.repeat(30_000), `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, `{"deck":"${'x'.repeat(70_000)}"}`],
]

const CONTENT_TYPES = [
  ...['application/json; charset=utf-8', 'application/json; charset=utf-16', 'APPLICATION/JSON', 'application/json;;'],
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'a/b/c', '*/*', ';', 'x'],
]
function contentTypes(): Arbitrary<string> {
  return fc.constantFrom(...CONTENT_TYPES)
}

const TABLE =
  'id;Frage;Antwort;Level;Deck\n1;Was ist TCP?;Ein Protokoll;netz;Netz::TCP\n2;"Was; ist IP?";"Noch\neins";;\n'
const TABLE_BYTES = [...Buffer.from(TABLE)]

/** A table, intact or with one changed byte; a picture; random bytes; the beginning of a package; or no body */
const fileBody = fc.oneof(
  { weight: 4, arbitrary: fc.constant(TABLE).map(toBase64) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(TABLE_BYTES.length - 1), fc.nat(255))
      .map(([at, byte]) => Buffer.from(TABLE_BYTES.with(at, byte)).toString('base64')),
  },
  { weight: 2, arbitrary: fc.nat(99).map((number) => gifOf(`fuzz ${number}`).toString('base64')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }).map((text) => toBase64(`PK\x03\x04${text}`)) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)
const fileType = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/octet-stream') },
  { weight: 1, arbitrary: contentTypes() },
)
/** Parameters of an upload; the service refuses an upload without a name */
const fileName = fc.oneof(
  { weight: 3, arbitrary: fc.nat(9).map((number) => `?name=Tabelle-${number}.csv&new=true`) },
  { weight: 1, arbitrary: fc.constant('?name=Tabelle.csv&check=true') },
)

/** Draws a body as base64; undefined for no body. */
function bodyOf(schema: Json | undefined): Arbitrary<string | undefined> {
  const text = (value: Arbitrary<unknown>) => value.map((one) => toBase64(JSON.stringify(one) ?? 'null'))
  const broken = fc.oneof(
    fc.constantFrom(...BROKEN_BODIES).map(toBase64),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  )
  if (schema === undefined) {
    return fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: text(fc.jsonValue()) },
      { weight: 1, arbitrary: broken },
    )
  }
  return fc.oneof(
    { weight: 6, arbitrary: text(fittingBody(schema, 0)) },
    // Optional fields often exclude each other, so an example or a body of the required fields is more often valid.
    { weight: 4, arbitrary: text(smallBody(schema)) },
    { weight: 6, arbitrary: text(fittingBody(schema, 5)) },
    { weight: 1, arbitrary: text(fc.jsonValue()) },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
)

const headerText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('', ',', ';;', '"', 'a'.repeat(4_000), 'ÿ\u00a0é', '=', ' , ,', '*', '-1'),
)
const HEADER_VALUES: Record<string, Arbitrary<string>> = {
  origin: fc.constantFrom(
    'https://app.example.org',
    'null',
    'https://evil.example',
    'http://127.0.0.1',
    'http://[',
    'https://a.example, b',
  ),
  'sec-fetch-site': fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none', 'x'),
  'x-forwarded-for': fc.constantFrom(
    '203.0.113.7',
    '::1',
    '2001:db8::1',
    'x',
    ',',
    '1.2.3.4, 5.6.7.8',
    'a'.repeat(300),
  ),
  'x-forwarded-proto': fc.constantFrom('https', 'http', 'javascript', ','),
  'x-forwarded-host': fc.constantFrom('evil.example', '[', 'a b', ','),
  host: fc.constantFrom('localhost', '', 'a b', '[', 'evil.example:99999', '@', 'x'.repeat(1_000)),
  cookie: fc.constantFrom(
    '__Host-svc_training_session=x.y',
    'svc_training_session=x',
    'svc_training_session=%ZZ.a',
    'svc_training_session=',
    '=;=',
    'a',
  ),
  authorization: fc.constantFrom('Bearer', 'Bearer ', 'Bearer x', 'bearer svct_x', 'Basic YTpi', 'Bearer \u00ff'),
  accept: fc.constantFrom('text/html', 'application/xml', 'x', '*/*;q=0'),
  'accept-encoding': fc.constantFrom('gzip', 'br;q=1.0, *;q=0', 'x'),
  'if-none-match': fc.constantFrom('*', 'W/"x"', '"'),
  range: fc.constantFrom('bytes=0-1', 'bytes=-1', 'bytes=5-1', 'x'),
  'x-http-method-override': fc.constantFrom('DELETE', 'PATCH', 'x'),
  'x-request-id': headerText,
  'user-agent': headerText,
  'accept-version': fc.constantFrom('1.0.0', 'x', '*'),
  'access-control-request-method': fc.constantFrom('DELETE', 'x', ''),
  expect: fc.constantFrom('100-continue', 'x'),
  'if-modified-since': fc.constantFrom('yesterday', 'Sat, 21 Nov 2026 08:00:00 GMT'),
}
const oddHeaders = fc
  .subarray(Object.keys(HEADER_VALUES), { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, HEADER_VALUES[name] as Arbitrary<string>]))),
  )
const headersOf = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Record<string, string>>({}) },
  { weight: 1, arbitrary: oddHeaders },
)

const ODD_METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY']

function requestOf(operation: Operation): Arbitrary<FuzzRequest> {
  return fc
    .record({
      caller: fc.constantFrom<CallerName[]>(
        ...CALLERS,
        ...Array<'scimToken'>(operation.tokenScope === 'scim' ? 8 : 1).fill('scimToken'),
        ...(operation.isAdmin ? (['admin', 'adminToken'] as const) : []),
        ...(operation.tokenScope === 'none' ? (['learner', 'admin', 'learner', 'admin'] as const) : []),
      ),
      method: fc.oneof(
        { weight: 15, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_METHODS) },
      ),
      path: pathOf(operation.path),
      query: operation.takesFile ? fc.oneof(fileName, queryOf(operation)) : queryOf(operation),
      contentType: operation.takesFile ? fileType : contentType,
      headers: headersOf,
      body: operation.takesFile ? fileBody : bodyOf(operation.bodySchema),
    })
    .map(({ caller, method, path, query, contentType, headers, body }) => ({
      operation,
      caller,
      method,
      url: toLatin1(path + query),
      headers: { ...(body !== undefined && { 'content-type': contentType }), ...headers },
      body,
    }))
}

/** Encodes a URL as UTF-8, with one character for each byte, because a request line consists of bytes. */
function toLatin1(url: string): string {
  return Buffer.from(url).toString('latin1')
}

/** Slow operations, which hash a password or read much content; chosen less often */
const EXPENSIVE = new Set(['importContent', 'checkContent', 'login', 'changePassword', 'exportAnki'])
/** Operations that can end the caller's session; chosen rarely */
const ENDING = new Set(['logout', 'deleteOwnSession'])

export function generateRequests(operations: Operation[], seed: number, count: number): FuzzRequest[] {
  const weightOf = ({ id }: Operation) => (ENDING.has(id) ? 1 : EXPENSIVE.has(id) ? 2 : 8)
  const weighted = operations.map((one) => ({ weight: weightOf(one), arbitrary: requestOf(one) }))
  return fc.sample(fc.oneof(...weighted), { seed, numRuns: count })
}
