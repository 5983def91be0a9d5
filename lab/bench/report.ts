import { readFile, writeFile } from 'node:fs/promises'
import type { Load } from './load.js'
import type { Postgres } from './postgres.js'

/** A figure with its unit, or the result of a load test */
export type Figure = string | Load

export interface Measure {
  what: string
  service?: Figure
  /** Upper bound on this machine, such as the rate at which pgbench sends the same statements */
  limit?: Figure
  /** Figure of the conventional implementation */
  usual?: Figure
  /** Target; `reached` is the result, and `met` whether the result meets the target. */
  target?: string
  reached?: string
  met?: boolean
}

export interface ScenarioMeasure extends Measure {
  scenario: string
}

export type Scenario = (postgres: Postgres) => Promise<Measure[]>

export function atLeast(target: number, ratio: number, of: string): Pick<Measure, 'target' | 'reached' | 'met'> {
  return { target: `≥ ${target} × ${of}`, reached: ratio.toFixed(2), met: ratio >= target }
}

export function below(limit: number, figure: number, unit: string): Pick<Measure, 'target' | 'reached' | 'met'> {
  return {
    target: `< ${limit} ${unit}`,
    reached: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`,
    met: figure < limit,
  }
}

export function within(limit: number, figure: number, unit: string): Pick<Measure, 'target' | 'reached' | 'met'> {
  const [target, reached] = [limit, Number(figure.toFixed(figure < 10 ? 2 : 1))]
  return { target: `≤ ${target} ${unit}`.trim(), reached: `${reached} ${unit}`.trim(), met: reached <= limit }
}

export function formatTable(measures: readonly ScenarioMeasure[]): string {
  const rows = measures.map(({ scenario, what, service, limit, usual, target = '', reached = '', met }) => [
    scenario,
    what,
    formatFigure(service),
    formatFigure(limit),
    formatFigure(usual),
    target,
    reached,
    met === undefined ? '' : met ? 'met' : '**not met**',
  ])
  const header = ['scenario', 'what', 'service', 'limit', 'usual way', 'target', 'reached', '']
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function formatFigure(figure: Figure | undefined): string {
  if (figure === undefined) return ''
  if (typeof figure === 'string') return figure
  const { rate, p50, p99, failures, memory, cpu } = figure
  const broken = failures > 0 ? `, ${failures} failures` : ''
  return `${Math.round(rate)}/s, p50 ${p50} ms, p99 ${p99} ms, ${Math.round(memory)} MB, CPU ${cpu.toFixed(2)}${broken}`
}

const START = '<!-- npm run bench writes from here -->\n'
const END = '<!-- to here -->\n'

export async function replaceInDocument(file: string, text: string): Promise<void> {
  const { document, start, end } = await checkDocument(file)
  await writeFile(file, `${document.slice(0, start + START.length)}\n${text}\n${document.slice(end)}`)
}

/**
 * Returns the document and the positions of the comments `START` and `END`.
 * @throws Error if a comment is missing
 */
export async function checkDocument(file: string): Promise<{ document: string; start: number; end: number }> {
  const document = await readFile(file, 'utf8')
  const [start, end] = [document.indexOf(START), document.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`${file} lacks the line ${START.trim()} or ${END.trim()}`)
  return { document, start, end }
}
