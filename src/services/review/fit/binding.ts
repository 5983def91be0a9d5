export interface Trainer {
  /**
   * Fits weights to reviews.
   * @param csv reviews as `toTrainingCsv` returns them
   * @throws Error if the fit failed
   */
  fit(csv: string): Promise<number[]>
}

/** Interval at which the library looks whether its computation has ended; by default it would add half a second. */
const POLL_MS = 20

/**
 * Loads the native trainer. Returns undefined if there is no binary for the platform. Only this file may import the
 * library (docs/decisions/0049-fitted-parameters.md).
 */
export async function loadTrainer(): Promise<Trainer | undefined> {
  const library = await import('@open-spaced-repetition/binding').catch(() => undefined)
  if (library === undefined) return undefined
  return {
    fit: (csv) =>
      library.computeParameters(
        library.convertCsvToFsrsItems(Buffer.from(csv), 0, 'UTC', () => 0),
        { enableShortTerm: true, numRelearningSteps: 0, timeout: POLL_MS },
      ),
  }
}

/** Returns whether parameters can be fitted on this platform. */
export async function canFit(): Promise<boolean> {
  return (await loadTrainer()) !== undefined
}
