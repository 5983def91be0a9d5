import { fileURLToPath } from 'node:url'

// These constants are not in `service.ts`, because that module loads the whole service, and many test processes only
// start the service as a program.

/** Root of the repository; compiled tests are in `dist/test/support`. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export const SECRET = 'a test secret of at least thirty-two characters'
