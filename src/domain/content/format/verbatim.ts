/**
 * Verbatim cards contain texts that the deck format cannot express otherwise, such as a question with a `##` heading, a
 * text that ends with an unclosed fence or a level with a semicolon. `verbatim: true` in the comment means that the
 * question and the answer are one fence each and the other texts are JSON strings. An exercise is a third fence with JSON.
 */

import { type Exercise, type ExerciseInput, isExerciseInput } from '../../questions/exercise.js'

/** Notation of an empty text in the comment */
export const NO_TEXT = '""'

/**
 * Writes a text in a fence that is longer than any run of backticks in the text.
 * @example writeFence('a') // '```\na\n```'
 */
export function writeFence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${text}\n${marks}`
}

/**
 * Returns the content of a fence without its first and last line.
 * @example readFence(['```', 'a', '```']) // 'a'
 */
export function readFence(lines: readonly string[]): string {
  return lines.slice(1, -1).join('\n')
}

/**
 * Writes a text as a JSON string. Escapes characters that would end the comment or an entry of the comment.
 * @example writeJsonText('a;b') // '"a\\u003bb"'
 */
export function writeJsonText(text: string): string {
  return JSON.stringify(text).replaceAll(/[;<>\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Parses a text written by `writeJsonText`; returns undefined if it is not a JSON string.
 * @example readJsonText('"a\\u003bb"') // 'a;b'
 */
export function readJsonText(json: string): string | undefined {
  try {
    const text: unknown = JSON.parse(json)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes an exercise as a fence of JSON with one line per option.
 * @example
 * writeExerciseJson({ form: 'text', options: [], tolerance: null, unit: null })
 * // '```json\n{\n  "form": "text",\n  "options": []\n}\n```'
 */
export function writeExerciseJson({ form, tolerance, unit, options }: Exercise): string {
  const rows = options.map((option) => `    ${JSON.stringify(option)}`)
  const list = rows.length === 0 ? '[]' : `[\n${rows.join(',\n')}\n  ]`
  const keys = [
    `"form": ${JSON.stringify(form)}`,
    ...(tolerance === null ? [] : [`"tolerance": ${tolerance}`]),
    ...(unit === null ? [] : [`"unit": ${JSON.stringify(unit)}`]),
    `"options": ${list}`,
  ]
  return writeFence(`{\n  ${keys.join(',\n  ')}\n}`).replace('\n', 'json\n')
}

/**
 * Parses the JSON of an exercise; returns undefined if the text is not JSON or does not describe an exercise.
 * @example readExerciseJson('{"form":"text"}') // { form: 'text' }
 */
export function readExerciseJson(json: string): ExerciseInput | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isExerciseInput(value) ? value : undefined
  } catch {
    return undefined
  }
}
