import { BackupError } from '../../db/backup/format.js'
import { EmbeddedStoreError } from '../../db/embedded/index.js'
import { UnusableDatabaseError } from '../../db/migrate.js'
import { ConfigError } from '../config.js'
import { formatFault } from '../domain/content/format-finding.js'
import { FaultyContent, HttpError } from '../domain/refusals.js'
import { complain } from './complain.js'
import { describeDatabaseFault } from './database-fault.js'
import { RefusedError } from './store.js'

const EXIT_REFUSED = 1

/** Says why a command could not do its work, in as few lines as possible; the exit status. */
export function reportFailure(error: unknown, print: (line: string) => void): number {
  if (error instanceof FaultyContent && process.argv.includes('--json')) {
    print(JSON.stringify({ errors: error.faults }))
  } else if (error instanceof FaultyContent) {
    for (const fault of error.faults) complain(formatFault(fault))
  }
  for (const line of describe(error)) complain(line)
  return EXIT_REFUSED
}

/** One line for what people can cause; the stack of everything else. */
function describe(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  const expected = [BackupError, ConfigError, EmbeddedStoreError, HttpError, RefusedError, UnusableDatabaseError]
  if (expected.some((kind) => error instanceof kind)) return [error.message]
  const line = describeDatabaseFault(error) ?? describeFileFault(error)
  return line === undefined ? (error.stack ?? error.message).split('\n') : [line]
}

function describeFileFault({ code, path }: NodeJS.ErrnoException): string | undefined {
  return path === undefined ? undefined : `Auf ${path} kann nicht zugegriffen werden (${code}).`
}
