/**
 * Milliseconds between the display of the first page and the registration of the service worker. The delay is needed
 * because the worker downloads the whole app.
 */
export const REGISTER_AFTER_MS = 2_000

/** Milliseconds after which the page opens again although another service worker has not taken over */
export const TAKE_OVER_MS = 10_000
