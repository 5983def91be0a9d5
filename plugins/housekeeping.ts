import fp from 'fastify-plugin'
import { purgeExpired } from '../db/queries/housekeeping.js'

const INTERVAL_MS = 10 * 60_000

/** Deletes what has expired, in the background; every instance tries, one at a time does it. */
export default fp(
  async (app) => {
    let running: Promise<void> | undefined
    const purge = async () => {
      try {
        const purged = await purgeExpired(app.db)
        app.log.debug(purged ?? {}, purged === undefined ? 'another instance is purging' : 'purged what had expired')
      } catch (err) {
        // The next round tries again; until then nothing is wrong, since what has expired does not count.
        app.log.warn({ err }, 'purging failed')
      }
    }
    // Not all instances of a deployment at the same moment.
    const timer = setInterval(
      () => {
        running = purge()
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
