/** Seed of the gate. A fixed one, so that a run decides the same each time; `npm run soak` draws others. */
const GATE_SEED = 20_261_127

/**
 * Seed of everything that tests draw: properties, drawn data, random requests and the order of the files.
 * `TEST_SEED=<n>` sets another one, `TEST_SEED=random` draws one and prints it.
 */
export const SEED = readSeed()

function readSeed(): number {
  const { TEST_SEED } = process.env
  if (TEST_SEED === undefined || TEST_SEED === '') return GATE_SEED
  if (TEST_SEED === 'random') {
    const drawn = Math.floor(Math.random() * 2 ** 31)
    process.stderr.write(`TEST_SEED=${drawn}\n`)
    // Child processes inherit the drawn seed.
    process.env.TEST_SEED = String(drawn)
    return drawn
  }
  const seed = Number(TEST_SEED)
  if (!Number.isSafeInteger(seed)) throw new Error(`TEST_SEED is neither an integer nor "random": ${TEST_SEED}`)
  return seed
}
