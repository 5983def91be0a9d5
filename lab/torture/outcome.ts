/** Effect of a fault on the service; each becomes a row of the printed table. */
export interface Outcome {
  fault: string
  /** What the scenario did to cause the fault */
  done: string
  observed: string
  /** Lost acknowledged data; begins with `nothing` if no data is lost, and is `unknown` if the scenario failed. */
  lost: string
  /** Unacceptable effects: lost data, a 5xx other than 503, a stack trace, a request without response */
  defects: string[]
}

export interface Settings {
  seed: number
  /** Number of requests of the fuzzer */
  requests: number
}

/** Collects cleanup tasks, which run at the end of a scenario. */
export interface Scope {
  teardown(end: () => unknown): void
}

export type Scenario = (scope: Scope, settings: Settings) => Promise<Outcome[]>

/** Runs `work` and then its cleanup tasks in reverse order. */
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
