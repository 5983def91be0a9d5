import fp from 'fastify-plugin'
import { purgeExpired, purgePictures } from '../db/queries/housekeeping.js'

const INTERVAL_MS = 10 * 60_000

/** Deletes expired rows and unused pictures in the background. A lock lets one instance do so at a time. */
export default fp(
  async (app) => {
    let running: Promise<void> | undefined
    const purge = async () => {
      try {
        const purged = await purgeExpired(app.db)
        const pictures = await purgePictures(app.db)
        app.log.debug(
          { ...purged, pictures },
          purged === undefined ? 'another instance is purging' : 'purged what had expired',
        )
      } catch (err) {
        // The next run retries. Until then the queries ignore expired rows.
        app.log.warn({ err }, 'purging failed')
      }
    }
    // The random factor keeps instances from running at the same moment.
    const timer = setInterval(
      () => {
        running ??= purge().finally(() => {
          running = undefined
        })
      },
      INTERVAL_MS * (0.75 + Math.random() / 2),
    )
    timer.unref()
    app.addHook('onClose', async () => {
      clearInterval(timer)
      await running
    })
  },
  { name: 'housekeeping', dependencies: ['database'] },
)
