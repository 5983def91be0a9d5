import { BackupError } from '../../db/backup.js'
import { EmbeddedStoreError } from '../../db/embedded/index.js'
import { isDatabaseUnavailable } from '../../db/errors.js'
import { UnusableDatabaseError } from '../../db/migrate.js'
import { ConfigError } from '../config.js'
import { formatFault } from '../domain/content/format-finding.js'
import { FaultyContent, HttpError } from '../domain/refusals.js'
import { RefusedError } from './store.js'

const EXIT_REFUSED = 1

/** Says why a command could not do its work, in as few lines as possible; the exit status. */
export function reportFailure(error: unknown, print: (line: string) => void): number {
  if (error instanceof FaultyContent && process.argv.includes('--json')) {
    print(JSON.stringify({ errors: error.faults }))
  } else if (error instanceof FaultyContent) {
    for (const fault of error.faults) process.stderr.write(`${formatFault(fault)}\n`)
  }
  process.stderr.write(`${describe(error)}\n`)
  return EXIT_REFUSED
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isDatabaseUnavailable(error)) return `Die Datenbank ist nicht erreichbar: ${reason(error)}`
  const expected = [BackupError, ConfigError, EmbeddedStoreError, HttpError, RefusedError, UnusableDatabaseError]
  if (expected.some((kind) => error instanceof kind)) return error.message
  return error.stack ?? error.message
}

/** An AggregateError, which Node gives for a host of several addresses, has no text of its own. */
function reason(error: Error): string {
  return error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join(', ') : error.message
}
