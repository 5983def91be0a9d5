import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { indexContent } from '../src/services/search/index-content.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Brings the index of the search up to date as far as that is done at once; the rest follows in the background.
     * @returns whether the index is complete
     */
    catchUpSearchIndex(): Promise<boolean>
  }
}

/** What a search waits for at most: a few changed rows, not a whole import. */
const PATIENCE_MS = 150
const INTERVAL_MS = 10_000
/** After each part others have their turn for as long: on the embedded database there is one connection for all. */
const LEAST_PAUSE_MS = 20

/** Keeps the index of the search, which an import leaves behind; of several instances one is at it at a time. */
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
        // Nothing is lost: what is not indexed is still on the list.
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
        // Somebody else is at it: in the background, for another search, or in another instance.
        await sleep(LEAST_PAUSE_MS)
      }
      wake()
      return false
    })
    // Not all instances of a deployment at the same moment.
    const timer = setInterval(wake, INTERVAL_MS * (0.75 + Math.random() / 2))
    timer.unref()
    app.addHook('onClose', async () => {
      isClosed = true
      clearInterval(timer)
      await running
    })
  },
  { name: 'search-index', dependencies: ['database'] },
)
