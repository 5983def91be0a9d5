import { stringify } from 'yaml'
import { MAX_LENGTH } from './front-matter.js'

/** The front matter of a file, its lines `---` included. What is too long for it is shortened. */
export function writeFrontMatter(fields: Record<string, string | number>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${toScalar(value)}\n`)
  const yaml = lines.join('')
  if (yaml.length <= MAX_LENGTH) return `---\n${yaml}---\n`
  return writeFrontMatter(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, shorten(value)])))
}

/** As people write it if it is one line; the package folds others in ways that lose white space. */
function toScalar(value: string | number): string {
  if (typeof value === 'string' && /^\s|\s$|[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return JSON.stringify(value)
  return stringify(value, { lineWidth: 0, version: '1.2' }).trimEnd()
}

function shorten(value: string | number): string | number {
  return typeof value === 'string' ? value.slice(0, Math.floor(value.length / 2)).toWellFormed() : value
}

/** A name of one line: what the file format does not take is a space. */
export function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
