import fp from 'fastify-plugin'
import type { Moment } from '../src/domain/time/calendar.js'
import type { ResultsKeep } from '../src/services/jobs/job.js'
import { JOBS } from '../src/services/jobs/jobs.js'
import { runJob } from '../src/services/jobs/run-job.js'
import { canFit } from '../src/services/review/fit/binding.js'

/** The night's run starts at this hour, or later on the same day if the service was not running. */
const NIGHT_HOUR = 3
const HOUR_MS = 3_600_000

const NO_FIT =
  'Auf dieser Plattform lassen sich die Abstände nicht an die Lernenden anpassen; für alle gilt die Voreinstellung.'

interface JobOptions {
  /** Returns an instant (default: now) together with its calendar day. */
  moment: (at?: Date) => Moment
  /** IANA name */
  timeZone: string
  /** Days after the review of a test for which answers are kept */
  answersKeepDays: number
  resultsKeep: ResultsKeep
  intervalMs: number
}

/** Runs each job once a night. Every instance tries; a lease lets one run at a time. */
export default fp<JobOptions>(
  async (app, { moment, timeZone, answersKeepDays, resultsKeep, intervalMs }) => {
    const stopping = new AbortController()
    let running: Promise<void> | undefined
    const runAll = async () => {
      const night = moment(new Date(moment().at.getTime() - NIGHT_HOUR * HOUR_MS)).today
      for (const job of Object.values(JOBS)) {
        try {
          const summary = await runJob(app.db, job, {
            night,
            moment,
            timeZone,
            answersKeepDays,
            resultsKeep,
            signal: stopping.signal,
            onError: (err, facts) => app.log.warn({ err, job: job.name, ...facts }, 'part of a job failed'),
          })
          if (summary !== undefined) app.log.info({ job: job.name, ...summary }, 'job finished')
        } catch (err) {
          if (stopping.signal.aborted) return
          // The next interval tries again.
          app.log.warn({ err, job: job.name }, 'job failed')
        }
      }
    }
    // The random factor keeps instances from running at the same moment.
    const timer = setInterval(
      () => {
        running ??= runAll().finally(() => {
          running = undefined
        })
      },
      intervalMs * (0.75 + Math.random() / 2),
    )
    timer.unref()
    // Not awaited, so that loading the native library does not delay the start.
    app.addHook('onListen', () => {
      void canFit().then((isPossible) => {
        if (!isPossible) app.log.warn(NO_FIT)
      })
    })
    app.addHook('onClose', async () => {
      clearInterval(timer)
      stopping.abort(new Error('the service stops'))
      await running
    })
  },
  { name: 'jobs', dependencies: ['database'] },
)
