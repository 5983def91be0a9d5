import fp from 'fastify-plugin'
import { repeat } from '../src/services/jobs/repeat.js'
import { endOverdue } from '../src/services/tests/end-attempt.js'

interface OverdueOptions {
  intervalMs: number
}

/**
 * Ends test attempts whose time is over, including those that the learner has abandoned. Runs in every instance; if two
 * instances try to end the same attempt, only one of them succeeds.
 */
export default fp<OverdueOptions>(
  async (app, { intervalMs }) => {
    const stopping = new AbortController()
    const endAll = async () => {
      try {
        const ended = await endOverdue(app.db, app.clock.now(), stopping.signal, (err, attempt) =>
          app.log.warn({ err, attempt }, 'ending an attempt by time failed'),
        )
        if (ended > 0) app.log.info({ ended }, 'attempts ended by time')
      } catch (err) {
        if (stopping.signal.aborted) return
        // The next run tries again. An overdue attempt also ends when the learner opens it.
        app.log.warn({ err }, 'ending attempts by time failed')
      }
    }
    const ending = repeat(endAll, intervalMs)
    app.addHook('onClose', async () => {
      const ended = ending.stop()
      stopping.abort(new Error('the service stops'))
      await ended
    })
  },
  { name: 'overdue-attempts', dependencies: ['database', 'service'] },
)
