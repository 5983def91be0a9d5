/** What a fault did to the service: one line of the table. */
export interface Outcome {
  fault: string
  /** What was done. */
  done: string
  observed: string
  /** `nothing`, or what is gone that had been acknowledged. */
  lost: string
  /** Whatever must not be: something lost, a 5xx that is no 503, a stack, a hang. */
  defects: string[]
}

export interface Settings {
  seed: number
  /** Of the fuzzer. */
  requests: number
}

/** The place where a scenario runs: what it has begun is ended when it is over. */
export interface Scope {
  teardown(end: () => unknown): void
}

export type Scenario = (scope: Scope, settings: Settings) => Promise<Outcome[]>

/** Runs `work` and then, last first, what it wants to have ended. */
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
