import type { Details } from '../domain/refusal.js'

const MAX_TEXT_LENGTH = 60
const MAX_BYTES = 1_024

/**
 * Encodes the path of a field for `X-Error-Field`: a JSON Pointer without its first slash, percent-encoded except for
 * the slashes between its parts. Returns undefined if the header would be longer than 1 kB, because a path may contain
 * keys of the request, and proxies limit the size of headers.
 * @example encodeField('gaps/größe/accepted') // 'gaps/gr%C3%B6%C3%9Fe/accepted'
 */
export function encodeField(field: string): string | undefined {
  // Lone surrogates cannot be encoded.
  const encoded = field.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return encoded.length <= MAX_BYTES ? encoded : undefined
}

/**
 * Encodes values for `X-Error-Details`: JSON of ASCII characters, of at most 1 kB. Texts are cut at 60 code points.
 * Values that do not fit are left out, the last ones first.
 * @example encodeDetails({ name: 'Größe' }) // '{"name":"Gr\\u00f6\\u00dfe"}'
 */
export function encodeDetails(details: Details): string {
  const entries = Object.entries(details).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value])
  while (entries.length > 0) {
    const json = toAscii(JSON.stringify(Object.fromEntries(entries)))
    if (json.length <= MAX_BYTES) return json
    entries.pop()
  }
  return '{}'
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length <= MAX_TEXT_LENGTH ? text : `${characters.slice(0, MAX_TEXT_LENGTH - 1).join('')}…`
}

function toAscii(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
