import type { Exercise, ExerciseOption } from '../../questions/exercise.js'
import { type Block, findBlocks, findListItems } from './blocks.js'

export interface TaskList {
  /** Line of the list; 0 is the line below the heading of the card */
  line: number
  options: (ExerciseOption & { line: number })[]
  /** Lines of items without a checkbox, counted like `line` */
  bare: number[]
}

const BOX = /^\[([ xX])\](?=[ \t\n]|$)/
const MARKER = /^( {0,3})[-*+]([ \t]+|$)/
const TAB = 4

/**
 * Reads the task list at the end of an answer. Returns undefined if the answer does not end with a bullet list, or if
 * no item of the list has a checkbox.
 * @param from first line of the answer
 */
export function readTaskList(lines: readonly string[], blocks: readonly Block[], from: number): TaskList | undefined {
  const last = blocks.at(-1)
  if (last?.type !== 'bullet_list_open' || last.line < from) return undefined
  if (lines.slice(last.end).some((line) => line.trim() !== '')) return undefined
  const source = lines.slice(last.line, last.end)
  const options: TaskList['options'] = []
  const bare: number[] = []
  for (const { line, end } of findListItems(source.join('\n'))) {
    const text = readItem(source.slice(line, end))
    const box = BOX.exec(text)
    if (box === null) bare.push(last.line + line)
    else options.push({ ...splitFeedback(text.slice(box[0].length)), correct: box[1] !== ' ', line: last.line + line })
  }
  return options.length === 0 ? undefined : { line: last.line, options, bare }
}

function readItem(lines: readonly string[]): string {
  const [first = '', ...rest] = lines
  const marker = MARKER.exec(first)
  if (marker === null) return first
  const [whole = '', indent = '', gap = ''] = marker
  const end = widthOf(whole)
  // More than four spaces after the marker start indented code. The content then begins one space after the marker
  // (CommonMark, 5.2).
  const column = end - indent.length - 1 > TAB || gap === '' ? indent.length + 2 : end
  return [first.slice(whole.length), ...rest.map((line) => dedent(line, column))].join('\n')
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += character === '\t' ? TAB - (width % TAB) : 1
  return width
}

/** Removes leading white space up to a column; a lazy continuation line (CommonMark) may be less indented. */
function dedent(line: string, column: number): string {
  let at = 0
  let width = 0
  while (width < column && (line[at] === ' ' || line[at] === '\t')) {
    width += line[at] === '\t' ? TAB - (width % TAB) : 1
    at++
  }
  return ' '.repeat(Math.max(width - column, 0)) + line.slice(at)
}

function splitFeedback(text: string): { text: string; feedback: string | null } {
  const whole = text.trim()
  const last = whole.includes('>') ? findBlocks(whole).at(-1) : undefined
  if (last?.type !== 'blockquote_open' || last.line === 0) return { text: whole, feedback: null }
  const lines = whole.split('\n')
  const quote = lines.slice(last.line).map((line) => line.replace(/^ {0,3}> ?/, ''))
  return { text: lines.slice(0, last.line).join('\n').trim(), feedback: quote.join('\n').trim() || null }
}

/**
 * Writes options as a task list.
 * @param bullet `-` or `*`; must differ from the bullet of a list directly before the options
 * @example writeTaskList([{ text: 'a', correct: true, feedback: 'Ja' }], '-') // '- [x] a\n  > Ja'
 */
export function writeTaskList(options: Exercise['options'], bullet: string): string {
  return options
    .map(({ text, correct, feedback }) => {
      const [first = '', ...rest] = text.split('\n')
      const lines = [`${bullet} [${correct ? 'x' : ' '}] ${first}`, ...rest.map((line) => indent(line))]
      const quote = feedback?.split('\n').map((line) => (line === '' ? '  >' : `  > ${line}`)) ?? []
      return [...lines, ...quote].join('\n')
    })
    .join('\n')
}

function indent(line: string): string {
  return line === '' ? '' : `  ${line}`
}
