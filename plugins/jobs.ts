import fp from 'fastify-plugin'
import { type Job, jobSettings, runJob } from '../src/services/jobs/job.js'
import { JOBS } from '../src/services/jobs/jobs.js'
import { repeat } from '../src/services/jobs/repeat.js'
import { canFit } from '../src/services/review/fit/binding.js'

/**
 * Hour in the time zone of the service after which the nightly jobs run. If the service is down at that hour, the jobs
 * run after the next start.
 */
const NIGHT_HOUR = 3
const HOUR_MS = 3_600_000

const NO_FIT =
  'Auf dieser Plattform lassen sich die Abstände nicht an die Lernenden anpassen; für alle gilt die Voreinstellung.'

const MINUTE_MS = 60_000

interface JobOptions {
  /** Interval in milliseconds of the check for nightly jobs, and the maximum interval of the other jobs */
  intervalMs: number
}

/**
 * Runs each job once a night or every few minutes. Every instance tries to run every job; a lease lets only one
 * instance run a job at a time.
 */
export default fp<JobOptions>(
  async (app, { intervalMs }) => {
    const { moment } = app.clock
    const stopping = new AbortController()
    const run = async (job: Job, night?: string) => {
      try {
        const summary = await runJob(app.db, job, {
          ...jobSettings(app.config),
          moment,
          ...(night !== undefined && { night }),
          signal: stopping.signal,
          onError: (err, facts) => app.log.warn({ err, job: job.name, ...facts }, 'part of a job failed'),
        })
        const isQuiet = night === undefined && Object.values(summary ?? {}).every((figure) => figure === 0)
        if (summary !== undefined && !isQuiet) app.log.info({ job: job.name, ...summary }, 'job finished')
      } catch (err) {
        if (!stopping.signal.aborted) app.log.warn({ err, job: job.name }, 'job failed')
      }
    }
    const runNightly = async () => {
      const night = moment(new Date(moment().at.getTime() - NIGHT_HOUR * HOUR_MS)).today
      for (const job of Object.values(JOBS)) {
        if (stopping.signal.aborted) return
        if (job.every === 'night') await run(job, night)
      }
    }
    const repeated = [
      repeat(runNightly, intervalMs),
      ...Object.values(JOBS).flatMap((job) =>
        job.every === 'night' ? [] : [repeat(() => run(job), Math.min(intervalMs, job.every * MINUTE_MS))],
      ),
    ]
    // `canFit` is not awaited, so that loading the native library does not delay the start.
    app.addHook('onListen', () => {
      void canFit().then((isPossible) => {
        if (!isPossible) app.log.warn(NO_FIT)
      })
    })
    app.addHook('onClose', async () => {
      const ended = repeated.map((repetition) => repetition.stop())
      stopping.abort(new Error('the service stops'))
      await Promise.all(ended)
    })
  },
  { name: 'jobs', dependencies: ['database', 'service'] },
)
