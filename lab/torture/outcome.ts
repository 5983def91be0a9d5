/** Effect of a fault on the service; one row of the printed table */
export interface Outcome {
  fault: string
  /** Cause of the fault, or the reason why the scenario was not tried; empty if the scenario failed */
  done: string
  observed: string
  /**
   * Lost acknowledged data. Begins with `nothing` if no data is lost; `unknown` if the scenario failed, empty if it was
   * not tried.
   */
  lost: string
  /** Unacceptable effects, such as lost data, an unexpected status, a request without response or no recovery */
  defects: string[]
}

export interface Settings {
  seed: number
  requests: number
}

export interface Scope {
  teardown(end: () => unknown): void
}

export type Scenario = (scope: Scope, settings: Settings) => Promise<Outcome[]>

export async function withScope<T>(work: (scope: Scope) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = []
  try {
    return await work({ teardown: (end) => ends.unshift(end) })
  } finally {
    for (const end of ends) await end()
  }
}

export function printOutcome({ fault, done, observed, lost, defects }: Outcome): void {
  const texts = [fault, done, observed, lost].map((text) => text.replaceAll('|', '\\|'))
  process.stdout.write(`| ${texts.join(' | ')} |\n`)
  for (const defect of defects) process.stdout.write(`DEFECT: ${defect}\n`)
}
