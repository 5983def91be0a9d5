import type { Load } from './load.js'
import type { Postgres } from './postgres.js'

/** One line of the result. */
export interface Measure {
  scenario?: string
  what: string
  /** With its unit. */
  value: string
  /** For targets: what was to be reached, and whether it was. */
  target?: string
  met?: boolean
}

export type Scenario = (postgres: Postgres) => Promise<Measure[]>

export function printTable(measures: Measure[]): void {
  process.stdout.write('| what | measured | target | |\n|---|---|---|---|\n')
  for (const { what, value, target = '', met } of measures) {
    const verdict = met === undefined ? '' : met ? 'met' : 'not met'
    process.stdout.write(`| ${what} | ${value} | ${target} | ${verdict} |\n`)
  }
}

export function showLoad(what: string, load: Load): Measure {
  const { rate, p50, p99, failures, memory, cpu } = load
  const broken = failures > 0 ? `, ${failures} failures` : ''
  const value = `${Math.round(rate)}/s, p50 ${p50} ms, p99 ${p99} ms, ${Math.round(memory)} MB, CPU ${cpu.toFixed(2)}${broken}`
  return { what, value }
}

/** A ratio that shall be at least that. */
export function atLeast(what: string, ratio: number, target: number): Measure {
  return { what, value: ratio.toFixed(2), target: `≥ ${target}`, met: ratio >= target }
}

/** A figure that shall be below the limit. */
export function below(what: string, figure: number, limit: number, unit: string): Measure {
  return {
    what,
    value: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`,
    target: `< ${limit} ${unit}`,
    met: figure < limit,
  }
}
