import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON
export type Json = Record<string, any>

// The types describe the default import as an object with the plugin in `default`, but in Node.js the default import
// is the plugin.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void

interface CheckedResponse {
  method: string
  /** Path with optional query */
  url: string
  status: number
  contentType: string
  text: string
  headers?: Readonly<Record<string, unknown>>
}

/** Headers of a refusal that the document must declare */
const DECLARED_HEADERS = ['X-Error-Field', 'X-Error-Details', 'Retry-After']

/** A function that compares a response with an OpenAPI document and returns one line per difference */
export type ResponseChecker = (response: CheckedResponse) => string[]

/**
 * Pattern for a path parameter before a suffix, such as `{code}` in `{code}.pdf`. Like the router, it does not match an
 * encoded line break.
 */
const BEFORE_SUFFIX = '(?:(?!%0[aAdD])[^/])+'

function patternOf(path: string): RegExp {
  const pattern = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{[^}]+\}(?=\\\.)/g, BEFORE_SUFFIX)
    .replaceAll(/\{[^}]+\}/g, '[^/]+')
  return new RegExp(`^${pattern}/?$`)
}

/**
 * Creates a checker for an OpenAPI document. Objects may have only the keys that their schema describes or explicitly
 * allows. A response to an undescribed request must be an error of the schema `Error`, below `/scim` of `ScimError`, or
 * an HTML page outside of both. The checker ignores responses to HEAD and OPTIONS.
 */
export function createResponseChecker(document: Json): ResponseChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(closeObjects(document) as Json, 'openapi')
  const operations = Object.entries<Json>(document.paths).map(([path, methods]) => ({
    path,
    methods,
    pattern: patternOf(path),
  }))

  const validate = (pointer: string, value: unknown): string[] => {
    const check = ajv.getSchema(`openapi#${pointer}`)
    if (check === undefined) return [`no schema at ${pointer}`]
    if (check(value)) return []
    return (check.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`)
  }

  return ({ method, url, status, contentType, text, headers = {} }) => {
    const path = url.split('?', 1)[0] ?? ''
    const found = operations.find((one) => one.pattern.test(path) && one.methods[method.toLowerCase()] !== undefined)
    const mediaType = contentType.split(';', 1)[0] ?? ''
    if (method === 'HEAD' || method === 'OPTIONS') return []
    if (found === undefined) {
      // The web app is not part of the API.
      if (mediaType === 'text/html' && !/^\/(api|scim)/.test(path)) return []
      const errors = path.startsWith('/scim') ? 'ScimError' : 'Error'
      return status < 400 ? [`${status}, but not described`] : validate(`/components/schemas/${errors}`, parse(text))
    }
    const { responses } = found.methods[method.toLowerCase()]
    const key = status in responses ? String(status) : `${String(status)[0]}XX`
    if (responses[key] === undefined) return [`status ${status} is not described`]
    let pointer = `/paths/${escapePointer(found.path)}/${method.toLowerCase()}/responses/${key}`
    let response = responses[key] as Json
    if (typeof response.$ref === 'string') {
      pointer = response.$ref.slice(1)
      response = document.components.responses[pointer.split('/').at(-1) ?? '']
    }
    const undeclared = DECLARED_HEADERS.filter(
      (name) => headers[name.toLowerCase()] !== undefined && response.headers?.[name] === undefined,
    )
    if (undeclared.length > 0) return undeclared.map((name) => `${status} with ${name} is not described`)
    if (response.content === undefined && text === '') return []
    if (response.content?.[mediaType] === undefined) return [`${status} as ${mediaType} is not described`]
    return validate(
      `${pointer}/content/${escapePointer(mediaType)}/schema`,
      /[/+]json$/.test(mediaType) ? parse(text) : text,
    )
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function escapePointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closeObjects(entry)]))
  const isSchema = typeof copy.properties === 'object' && copy.type === 'object'
  return isSchema && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy
}
