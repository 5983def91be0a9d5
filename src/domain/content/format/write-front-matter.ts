import { stringify } from 'yaml'
import { MAX_LENGTH } from './front-matter.js'

type Value = string | number | boolean

/**
 * Writes front matter including the `---` lines. Cuts all strings in half until the YAML fits `MAX_LENGTH`.
 * @example writeFrontMatter({ name: 'Git', sort_order: 2 }) // '---\nname: Git\nsort_order: 2\n---\n'
 */
export function writeFrontMatter(fields: Record<string, Value>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${toScalar(value)}\n`)
  const yaml = lines.join('')
  if (yaml.length <= MAX_LENGTH) return `---\n${yaml}---\n`
  return writeFrontMatter(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, shorten(value)])))
}

/**
 * Writes a value on one line. Writes strings with leading or trailing white space, control characters or line ends as
 * JSON.
 */
function toScalar(value: Value): string {
  if (typeof value === 'string' && /^\s|\s$|[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return JSON.stringify(value)
  return stringify(value, { lineWidth: 0, version: '1.2' }).trimEnd()
}

function shorten(value: Value): Value {
  return typeof value === 'string' ? value.slice(0, Math.floor(value.length / 2)).toWellFormed() : value
}

/**
 * Converts a name to one trimmed line: each run of control characters and line ends becomes a space.
 * @example toLine('a\n b ') // 'a  b'
 */
export function toFrontMatterLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
