/** More combining marks in a row than any word has; Unicode's stream-safe text format (UAX #15) allows 30 */
const LONG_RUN = /\p{M}{101}/u

/** Returns whether normalisation would take quadratic time, because more than 100 combining marks follow each other. */
export function hasLongRun(text: string): boolean {
  return LONG_RUN.test(text)
}

/**
 * Returns the text in NFC. Text with more than 100 combining marks in a row stays as it is: 32,000 of them, which fit
 * into one request, would occupy the event loop for seconds.
 */
export function toNfc(text: string): string {
  return hasLongRun(text) ? text : text.normalize('NFC')
}
