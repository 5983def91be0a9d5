import type { ResponseChecker } from '../openapi.js'
import type { FuzzRequest } from './requests.js'
import type { RawResponse } from './send.js'

/** Matches text that no header and no error may contain, such as stack traces, SQL and names of files and modules */
const LEAKS =
  /\bat \S+ \(|\.[jt]s:\d|node_modules|node:internal|\/(dist|src|home|root|tmp|usr|var|work|app)\/|\b(select|insert into|update|delete from)\s+["\w]+\s+(from|set|where|values|\()|syntax error|relation "|column "|constraint|sqlstate|\bpg_|kysely|fastify|FST_ERR|ECONN|TypeError|RangeError|ReferenceError|undefined|\[object/i

/**
 * Words in English exceptions of V8, Node.js and libraries. All messages of the service are German, except for the
 * values that some messages list.
 */
const ENGLISH = /\b(cannot|can't|could not|unexpected|invalid|expected|failed|reading|is not|must)\b/i
const LISTED_VALUES = / muss eines von .* sein$/

const ERROR_KEYS = new Set(['statusCode', 'error', 'message', 'requestId', 'errors', 'errors_total'])

/** Keys of an error in the form of SCIM, which is in English */
const SCIM_ERROR_KEYS = new Set(['schemas', 'status', 'detail', 'scimType'])

export function judge(request: FuzzRequest, response: RawResponse, check: ResponseChecker): string[] {
  const { method, operation, caller } = request
  const { status, headers, text } = response
  const faults: string[] = []
  if (status < 200 || status >= 500) faults.push(`status ${status}`)
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('no security headers')
  if (headers['x-powered-by'] !== undefined || headers.server !== undefined) faults.push('names its software')
  if (operation.path.startsWith('/api/') && headers['cache-control'] === undefined) faults.push('no cache-control')
  if (LEAKS.test(JSON.stringify(headers))) faults.push('a header leaks')
  // Node's parser refuses a request before its path is known, so its errors have no id and never the form of SCIM.
  const isScim = operation.path.startsWith('/scim/')
  const isParsed = headers['x-request-id'] !== undefined
  if (status >= 400) faults.push(...judgeError(response, method, isScim && isParsed))
  // For the router, a raw `#` ends the path.
  const url = request.url.split('#', 1)[0] ?? ''
  if (isParsed || !isScim)
    faults.push(...check({ method, url, status, contentType: String(headers['content-type']), text }))
  if (status < 400 && !operation.isPublic && method === operation.method && isParsed) {
    if (caller === 'anonymous') faults.push(`${status} for a stranger`)
    if (operation.isAdmin && caller.startsWith('learner')) faults.push(`${status} for a learner`)
    // Such a token may delete itself.
    const isOfScim = ['scim', 'itself'].includes(operation.tokenScope ?? '')
    if (caller === 'scimToken' && !isOfScim) faults.push(`${status} for a token of SCIM`)
  }
  return faults
}

function judgeError({ status, headers, text }: RawResponse, method: string, isScim: boolean): string[] {
  if (method === 'HEAD') return text === '' ? [] : ['HEAD with a body']
  const faults: string[] = []
  if (LEAKS.test(text)) faults.push('the error leaks')
  const type = isScim ? 'application/scim+json' : 'application/json'
  if (headers['content-type'] !== `${type}; charset=utf-8`) faults.push(`error as ${headers['content-type']}`)
  const body = parse(text)
  if (body === undefined) return [...faults, 'the error is no JSON object']
  if (isScim) {
    if (body.status !== String(status)) faults.push(`status ${body.status}`)
    if (typeof body.detail !== 'string' || body.detail === '') faults.push('no detail')
    return [...faults, ...Object.keys(body).filter((key) => !SCIM_ERROR_KEYS.has(key))]
  }
  if (body.statusCode !== status) faults.push(`statusCode ${body.statusCode}`)
  if (typeof body.message !== 'string' || body.message === '') faults.push('no message')
  if (ENGLISH.test(String(body.message).replace(LISTED_VALUES, ''))) faults.push('the text of an exception')
  faults.push(...Object.keys(body).filter((key) => !ERROR_KEYS.has(key)))
  return faults
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the faults of a response to arbitrary bytes. An empty response has no fault, because the service may close
 * the connection without a response.
 */
export function judgeBytes(response: string): string[] {
  const text = response.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  if (text === '') return []
  const head = text.split('\r\n\r\n', 1)[0] ?? ''
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  if (!(status >= 200 && status < 500)) return [`status line ${head.slice(0, 60)}`]
  if (!/\r\nx-content-type-options: nosniff/i.test(head)) return ['no security headers']
  if (status < 400) return []
  const message = parse(text.slice(head.length))?.message
  if (ENGLISH.test(String(message).replace(LISTED_VALUES, ''))) return ['the text of an exception']
  return LEAKS.test(text) ? ['the error leaks'] : []
}
