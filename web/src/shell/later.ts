import { afterStart } from '../platform/after-start.js'

type AfterPage = typeof import('./after-page.js')

/** So long after the first page. */
const WAIT_MS = 300

let loading: Promise<AfterPage> | undefined

/**
 * What sends ratings and says how many wait, forgets what was kept, and looks for a new version: needed on every page, but
 * not before it. Loaded once.
 */
export function later(): Promise<AfterPage> {
  loading ??= afterStart(WAIT_MS)
    .then(() => import('./after-page.js'))
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}
