/** Returns the calendar day of this device as `YYYY-MM-DD`: only for a hint; the service decides. */
export function localToday(): string {
  return new Date().toLocaleDateString('sv-SE')
}
