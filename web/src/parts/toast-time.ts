/** Milliseconds for which a toast without an action is shown */
export const TOAST_MS = 6_000
