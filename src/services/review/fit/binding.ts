export interface Trainer {
  /**
   * Fits weights to reviews.
   * @param csv reviews as `toTrainingCsv` returns them
   * @param isStopped called repeatedly; the fit ends when it returns true
   * @throws Error if the fit was stopped or failed
   */
  fit(csv: string, isStopped: () => boolean): Promise<number[]>
}

/** Interval at which the library checks whether to continue */
const POLL_MS = 20

/**
 * Loads the native trainer. Returns undefined if there is no binary for the platform. Only this file may import the
 * library (docs/decisions/0049-fitted-parameters.md).
 */
export async function loadTrainer(): Promise<Trainer | undefined> {
  const library = await import('@open-spaced-repetition/binding').catch(() => undefined)
  if (library === undefined) return undefined
  return {
    fit: (csv, isStopped) =>
      library.computeParameters(
        library.convertCsvToFsrsItems(Buffer.from(csv), 0, 'UTC', () => 0),
        { enableShortTerm: true, numRelearningSteps: 0, timeout: POLL_MS, progress: () => !isStopped() },
      ),
  }
}

/** Returns whether parameters can be fitted on this platform. */
export async function canFit(): Promise<boolean> {
  return (await loadTrainer()) !== undefined
}
