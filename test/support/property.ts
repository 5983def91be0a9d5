import fc from 'fast-check'
import { SEED } from './seed.js'

const DEFAULT_RUNS = 100

/** Factor for the runs of all properties: 1 in the gate, more in the soak */
const FACTOR = readFactor()

// Tests import fast-check from here, so that none of them draws with a seed from the clock.
fc.configureGlobal({ seed: SEED, numRuns: runs(DEFAULT_RUNS) })

export { default } from 'fast-check'
export { SEED }

/** Returns the number of runs of a property that has `inGate` runs in the gate. `TEST_RUNS` is the factor. */
export function runs(inGate: number): number {
  return Math.ceil(inGate * FACTOR)
}

function readFactor(): number {
  const factor = Number(process.env.TEST_RUNS || 1)
  if (!(factor > 0)) throw new Error(`TEST_RUNS is not a positive number: ${process.env.TEST_RUNS}`)
  return factor
}
