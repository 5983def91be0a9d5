/**
 * Returns the calendar day of this device as `YYYY-MM-DD`, used only for hints, because the service decides what is
 * allowed.
 */
export function localToday(): string {
  return new Date().toLocaleDateString('sv-SE')
}
