import { createResponseChecker, type Json, type ResponseChecker } from '../openapi.js'
import fc, { runs } from '../property.js'
import { createCallers } from './callers.js'
import { judge, judgeBytes } from './judge.js'
import {
  type CallerName,
  type FuzzRequest,
  generateRequests,
  LATEST_ID,
  listOperations,
  type Operation,
} from './requests.js'
import { exchangeBytes, HangError, type RawResponse, send } from './send.js'

export interface FuzzOptions {
  origin: string
  /** Administrator that no request changes */
  root: { username: string; password: string }
  seed: number
  requests: number
  /** Number of requests that are sent at the same time (default: 8) */
  concurrency?: number
  /**
   * Returns whether the operation must succeed at least once. The fuzzer sends up to `requests` further requests to
   * such operations, and to those that create what they need, until they have succeeded. Default: no operation must succeed.
   */
  mustSucceed?: (operationId: string) => boolean
  /** Compares responses with the document; by default created from the document of the service */
  check?: ResponseChecker
  /** Called after each round of the first `requests` requests, with the number sent so far */
  onProgress?: (sent: number) => void
}

export interface FuzzReport {
  sent: number
  /** Number of further requests for operations that must succeed but have not succeeded yet */
  sentAgain: number
  /** Number of responses by status, without those to requests with changed bytes */
  statuses: Record<string, number>
  neverSucceeded: string[]
  faults: string[]
  faultCount: number
  slowestMs: number
}

/** Number of requests between two checks of the callers */
const ROUND = 50
/** Interval, counted in requests, between requests with changed bytes */
const BYTES_EVERY = 25
/** Longer than any request takes on a busy machine */
const TIMEOUT_MS = 120_000
const MAX_FAULTS = 30
const SUCCESSFUL = new Set([200, 201, 204, 302])

/**
 * Sends valid, almost valid and hostile requests generated from the service's OpenAPI document. Checks the responses
 * with `judge`, or with `judgeBytes` if the bytes of the request were changed. A seed reproduces the first `requests`
 * requests; with a concurrency above 1, except for their order and for ids taken from responses.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { origin, root, seed, requests, concurrency = 8, mustSucceed = () => false, onProgress } = options
  const { text } = await send(origin, { method: 'GET', url: '/openapi.json', headers: {} }, TIMEOUT_MS)
  const document: Json = JSON.parse(text)
  const { check = createResponseChecker(document) } = options
  const operations = listOperations(document)
  const callers = await createCallers(origin, root, seed)
  const statuses: Record<string, number> = {}
  const succeeded = new Set<string>()
  const report: FuzzReport = {
    sent: 0,
    sentAgain: 0,
    statuses,
    neverSucceeded: [],
    faults: [],
    faultCount: 0,
    slowestMs: 0,
  }

  /** Latest id from a response, by the key of `keyOf` */
  const latest: Record<string, number> = {}
  const learn = ({ operation, caller }: FuzzRequest, { text }: RawResponse) => {
    const path = CREATES[operation.id]
    if (path === undefined) return
    const body = JSON.parse(text)
    const created = body.attempt?.id ?? body.card?.id ?? body.id ?? body.change_id ?? findUndoable(body)
    if (created === undefined) return
    for (const one of [path].flat()) latest[keyOf(one, caller)] = created
  }

  const note = (found: string[], shown: unknown) => {
    if (found.length === 0) return
    report.faultCount++
    if (report.faults.length < MAX_FAULTS) report.faults.push(`${found.join('; ')}: ${JSON.stringify(shown)}`)
  }
  const sendWhole = async (request: FuzzRequest) => {
    const { operation, caller, method, url, headers } = request
    const body = request.body === undefined ? undefined : Buffer.from(request.body, 'base64')
    const shown = { caller, method, url, headers, body: body?.toString().slice(0, 300) }
    // Headers of the request replace those of the caller; a forged cookie does not identify a user.
    const whole = { ...callers.headersOf(caller), ...headers }
    try {
      const response = await send(origin, { method, url, headers: whole, body }, TIMEOUT_MS)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      if (method === operation.method && SUCCESSFUL.has(response.status)) {
        succeeded.add(operation.id)
        if (response.status === 200) learn(request, response)
      }
      note(judge(request, response, check), { ...shown, response: response.text.slice(0, 300) })
    } catch (error) {
      note([error instanceof HangError ? error.message : `connection broken: ${(error as Error).message}`], shown)
    }
  }
  const sendChanged = async (request: FuzzRequest, index: number) => {
    const bytes = changeBytes(request, seed + index)
    try {
      note(judgeBytes(await exchangeBytes(origin, bytes, TIMEOUT_MS)), bytes.toString('latin1').slice(0, 1_000))
    } catch (error) {
      note([(error as Error).message], bytes.toString('latin1').slice(0, 1_000))
    }
  }

  let rounds = 0
  const sendRound = async (drawn: typeof operations, size: number) => {
    await callers.renew()
    const round = rounds++
    const waiting = generateRequests(drawn, seed + round, size).entries()
    const work = async () => {
      for (const [index, request] of waiting) {
        const started = performance.now()
        const url = request.url.replace(LATEST_ID, String(latest[keyOf(request.operation.path, request.caller)] ?? 0))
        const filled = protectUsers({ ...request, url }, callers.ids())
        await (index % BYTES_EVERY === 0 ? sendChanged(filled, round * ROUND + index) : sendWhole(filled))
        report.slowestMs = Math.max(report.slowestMs, performance.now() - started)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
  }
  while (report.sent < requests) {
    const size = Math.min(ROUND, requests - report.sent)
    await sendRound(operations, size)
    report.sent += size
    onProgress?.(report.sent)
  }
  const listUnmet = () => operations.filter(({ id }) => mustSucceed(id) && !succeeded.has(id))
  for (let unmet = listUnmet(); unmet.length > 0 && report.sentAgain < requests; unmet = listUnmet()) {
    const paths = new Set(unmet.map(({ path }) => path))
    // With the operations that create what the unmet ones need
    const prepares = ({ id }: Operation) => [CREATES[id] ?? []].flat().some((path) => paths.has(path))
    await sendRound([...unmet, ...operations.filter(prepares)], ROUND)
    report.sentAgain += ROUND
  }
  report.neverSucceeded = operations.map(({ id }) => id).filter((id) => !succeeded.has(id))
  return report
}

/** Path of an account. All callers share its latest id, because administrators may change any account. */
const ANY_ACCOUNT = '/api/accounts/{id}'
const ANY_CARD = '/api/content/cards/{id}'
const ANY_REPORT = '/api/content/reports/{id}'

/** Paths whose id the operation returns, by operation id */
const CREATES: Record<string, string | string[]> = {
  createUser: ANY_ACCOUNT,
  createToken: '/api/auth/tokens/{id}',
  createCard: [ANY_CARD, `${ANY_CARD}/move`, `${ANY_CARD}/versions`, `${ANY_CARD}/versions/{version}/restore`],
  startAttempt: ['/api/tests/attempts/{id}', '/api/tests/attempts/{id}/submit', '/api/tests/attempts/{id}/review'],
  reviewCard: '/api/review/{id}',
  reviewCards: '/api/review/{id}',
  reportCard: ANY_REPORT,
  changeCards: '/api/content/changes/{change_id}/undo',
}

/**
 * Returns the id of the response's latest review of today that changed a state; undefined if there is none. The learner
 * can undo this review until the next rating.
 */
function findUndoable(body: Json): number | undefined {
  const reviews: Json[] = body.results?.flatMap(({ review }: Json) => review ?? []) ?? [body]
  const today = new Date().toISOString().slice(0, 10)
  return reviews.findLast(({ applied, progress }) => applied && progress.last_review >= today)?.review_id
}

function keyOf(path: string, caller: CallerName): string {
  if (path === ANY_REPORT) return ANY_REPORT
  return path.startsWith(ANY_ACCOUNT) ? ANY_ACCOUNT : `${path} ${caller.replace('Token', '')}`
}

/** Returns the request, changed if necessary so that it affects none of these users. */
function protectUsers(request: FuzzRequest, ids: number[]): FuzzRequest {
  const named = /^(\/(?:api\/(?:admin\/users|accounts)|scim\/v2\/Users)\/)([^/?#]+)/.exec(request.url)
  if (named?.[2] === undefined || !/^(%2B|\+)?0*\d+$/i.test(named[2])) return request
  if (!ids.includes(Number(named[2].replace(/^(%2B|\+)/i, '')))) return request
  return { ...request, url: request.url.replace(named[0], `${named[1]}0`) }
}

/** Encodes the request without the caller's credentials, and deletes, inserts or replaces some bytes. */
function changeBytes({ method, url, headers, body }: FuzzRequest, seed: number): Buffer {
  const payload = Buffer.from(body ?? '', 'base64')
  const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': String(payload.length) })
  const head = [`${method} ${url} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
  let bytes = Buffer.concat([Buffer.from(head, 'latin1'), payload])
  const change = fc.record({
    at: fc.nat({ max: Math.max(0, head.length - 1) }),
    length: fc.integer({ min: 0, max: 4 }),
    inserted: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.constantFrom(Buffer.from('\r\n'), Buffer.from(':'))),
  })
  const changes = fc.sample(fc.array(change, { minLength: 1, maxLength: 4 }), { seed, numRuns: runs(1) })[0] ?? []
  for (const { at, length, inserted } of changes) {
    bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + length)])
  }
  return bytes
}
