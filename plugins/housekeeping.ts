import fp from 'fastify-plugin'
import { purgeExpired, purgePictures } from '../db/queries/housekeeping.js'
import { repeat } from '../src/services/jobs/repeat.js'

const INTERVAL_MS = 10 * 60_000

/** Deletes expired rows and unused pictures in the background. A lock lets only one instance do this at a time. */
export default fp(
  async (app) => {
    const purge = async () => {
      try {
        const purged = await purgeExpired(app.db)
        const pictures = await purgePictures(app.db)
        app.log.debug(
          { ...purged, pictures },
          purged === undefined ? 'another instance is purging' : 'purged what had expired',
        )
      } catch (err) {
        // The next run retries. Until then, the queries ignore expired rows.
        app.log.warn({ err }, 'purging failed')
      }
    }
    const purging = repeat(purge, INTERVAL_MS)
    app.addHook('onClose', () => purging.stop())
  },
  { name: 'housekeeping', dependencies: ['database'] },
)
