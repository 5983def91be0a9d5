import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { indexContent } from '../src/services/search/index-content.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Updates the search index within a short time limit; the rest follows in the background.
     * @returns whether the index is complete
     */
    catchUpSearchIndex(): Promise<boolean>
    /** Updates the search index in the background, shortly after a change. */
    indexSoon(): void
  }
}

/** Maximum time that a search waits for the index: enough for a few changed rows, not for an import */
const PATIENCE_MS = 150
const INTERVAL_MS = 10_000
/** Collects the changes of an editor or a script that saves many cards */
const SOON_MS = 200
/** Pause after each part of the work, so that other requests get the single connection of the embedded database */
const LEAST_PAUSE_MS = 20

/** Keeps the search index up to date. A lock lets one instance work at a time. */
export default fp(
  async (app) => {
    let running: Promise<void> | undefined
    let isClosed = false
    const run = async () => {
      let resumedAt = performance.now()
      try {
        await indexContent(app.db, async () => {
          await sleep(Math.max(LEAST_PAUSE_MS, performance.now() - resumedAt))
          resumedAt = performance.now()
          return !isClosed
        })
      } catch (err) {
        // Nothing is lost: rows that are not indexed stay in the queue.
        if (!isClosed) app.log.warn({ err }, 'indexing for the search failed')
      } finally {
        running = undefined
      }
    }
    const wake = () => {
      if (!isClosed) running ??= run()
    }
    app.decorate('catchUpSearchIndex', async () => {
      const start = performance.now()
      const isPatient = () => performance.now() - start < PATIENCE_MS
      for (;;) {
        if (await indexContent(app.db, async () => isPatient())) return true
        if (!isPatient()) break
        // Another task or instance holds the lock.
        await sleep(LEAST_PAUSE_MS)
      }
      wake()
      return false
    })
    let soon: NodeJS.Timeout | undefined
    app.decorate('indexSoon', () => {
      soon ??= setTimeout(() => {
        soon = undefined
        wake()
      }, SOON_MS).unref()
    })
    // The random factor keeps instances from running at the same moment.
    const timer = setInterval(wake, INTERVAL_MS * (0.75 + Math.random() / 2))
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
