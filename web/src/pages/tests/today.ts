/** Returns the calendar day of this device as `YYYY-MM-DD`, used only for hints; the service decides. */
export function localToday(): string {
  return new Date().toLocaleDateString('sv-SE')
}
