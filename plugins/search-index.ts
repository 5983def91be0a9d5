import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { indexContent } from '../src/services/search/index-content.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Updates the search index for at most about 150 ms. If the time does not suffice, a background run continues the
     * update.
     * @returns whether the index is complete
     */
    updateSearchIndex(): Promise<boolean>
    scheduleIndexing(): void
  }
}

/**
 * Milliseconds after which a search that waits for the index starts no further batch: enough for a few changed rows,
 * not for an import
 */
const MAX_WAIT_MS = 150
const INTERVAL_MS = 10_000
/** Delay of `scheduleIndexing`, so that one run indexes several cards that an editor or a script saves in succession */
const DELAY_MS = 200
/**
 * Minimum pause between two batches of a background run, so that other requests get the single connection of the
 * embedded database
 */
const MIN_PAUSE_MS = 20

/** Keeps the search index up to date. A lock limits the updates to one instance at a time. */
export default fp(
  async (app) => {
    let running: Promise<void> | undefined
    let isClosed = false
    const run = async () => {
      let resumedAt = performance.now()
      try {
        await indexContent(app.db, async () => {
          await sleep(Math.max(MIN_PAUSE_MS, performance.now() - resumedAt))
          resumedAt = performance.now()
          return !isClosed
        })
      } catch (err) {
        // Rows that are not indexed stay in the queue for the next run.
        if (!isClosed) app.log.warn({ err }, 'indexing for the search failed')
      } finally {
        running = undefined
      }
    }
    const startRun = () => {
      if (!isClosed) running ??= run()
    }
    app.decorate('updateSearchIndex', async () => {
      const start = performance.now()
      const hasTimeLeft = () => performance.now() - start < MAX_WAIT_MS
      for (;;) {
        if (await indexContent(app.db, async () => hasTimeLeft())) return true
        if (!hasTimeLeft()) break
        // Another task or instance holds the lock; this call tries again after the pause.
        await sleep(MIN_PAUSE_MS)
      }
      startRun()
      return false
    })
    let soon: NodeJS.Timeout | undefined
    app.decorate('scheduleIndexing', () => {
      soon ??= setTimeout(() => {
        soon = undefined
        startRun()
      }, DELAY_MS).unref()
    })
    // The random factor keeps instances from running at the same moment.
    const timer = setInterval(startRun, INTERVAL_MS * (0.75 + Math.random() / 2))
    timer.unref()
    app.addHook('onClose', async () => {
      isClosed = true
      clearInterval(timer)
      clearTimeout(soon)
      await running
    })
  },
  { name: 'search-index', dependencies: ['database'] },
)
