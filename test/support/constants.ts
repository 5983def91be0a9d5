import { fileURLToPath } from 'node:url'

// Not in `service.ts`, which loads the whole service: many test processes only start it as a program.

/** Root of the repository; compiled tests are in `dist/test/support`. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export const SECRET = 'a test secret of at least thirty-two characters'
