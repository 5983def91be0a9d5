/** Trains the weights of FSRS-6. */
export interface Trainer {
  /**
   * Fits weights to reviews, as CSV of `toTrainingCsv`.
   * @param isStopped asked repeatedly; true ends the fit
   * @throws if the fit was ended or failed
   */
  fit(csv: string, isStopped: () => boolean): Promise<number[]>
}

/** Interval at which the library asks whether to continue; it also delays the result by up to this time. */
const POLL_MS = 20

/**
 * Loads the native trainer; returns undefined where the platform has no binary. The only file that knows the library
 * (docs/decisions/0049-fitted-parameters.md).
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

/** Whether parameters can be fitted on this platform */
export async function canFit(): Promise<boolean> {
  return (await loadTrainer()) !== undefined
}
