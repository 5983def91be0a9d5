/** Returns the day of this device as `YYYY-MM-DD`. Used only for hints; the service decides what is allowed. */
export function deviceToday(): string {
  return new Date().toLocaleDateString('sv-SE')
}
