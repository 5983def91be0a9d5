import { findCredentials } from '../../db/queries/accounts/users.js'
import type { Config } from '../config.js'
import { jobSettings, runJob } from '../services/jobs/job.js'
import { JOBS } from '../services/jobs/jobs.js'
import { printError } from './print-error.js'
import { RefusedError, withDatabase } from './store.js'
import { clockOf } from './today.js'

/**
 * @throws RefusedError if the job or the user is unknown, a user is given for a job that runs for all users, the job is
 * already running, a signal interrupts the command, or another process holds the embedded store
 */
export async function runJobNow(
  config: Config,
  name: string,
  options: { user?: string; json?: boolean },
  print: (line: string) => void,
): Promise<void> {
  const job = Object.values(JOBS).find((known) => known.name === name)
  if (job === undefined)
    throw new RefusedError(`Diesen Auftrag gibt es nicht. Es gibt: ${Object.keys(JOBS).join(', ')}`)
  if (options.user !== undefined && job.isForAllUsers) {
    throw new RefusedError(`Den Auftrag ${name} gibt es nur für alle Benutzer. Bitte ohne --user ausführen.`)
  }
  const stopping = new AbortController()
  const stop = () => stopping.abort(new RefusedError('Abgebrochen; nichts ist halb geschrieben.'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const summary = await withDatabase(config, null, async (db) => {
      const user = options.user === undefined ? undefined : await findCredentials(db, options.user)
      if (options.user !== undefined && user === undefined) {
        throw new RefusedError(`Es gibt keinen Benutzer ${options.user}.`)
      }
      return runJob(db, job, {
        moment: clockOf(config).moment,
        ...jobSettings(config),
        signal: stopping.signal,
        userId: user?.id,
        onError: (error, { userId }) => {
          const person = userId === undefined ? '' : `Benutzer ${String(userId)}: `
          printError(`${person}${error instanceof Error ? error.message : String(error)}`)
        },
      })
    })
    if (summary === undefined) throw new RefusedError('Dieser Auftrag läuft gerade.')
    if (options.json) return print(JSON.stringify({ job: name, ...summary }))
    print(
      `${name}: ${Object.entries(summary)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')}`,
    )
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
