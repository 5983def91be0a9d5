import { BackupError } from '../../db/backup/format.js'
import { EmbeddedStoreError } from '../../db/embedded/index.js'
import { UnusableDatabaseError } from '../../db/migrate.js'
import { ConfigError } from '../config.js'
import { formatFault } from '../domain/content/findings.js'
import { FaultyContent } from '../domain/content/refusals.js'
import { Refusal } from '../domain/refusal.js'
import { describeDatabaseFault } from './database-fault.js'
import { printError } from './print-error.js'
import { RefusedError } from './store.js'

const EXIT_REFUSED = 1

/**
 * Prints to standard error why a command failed; with `--json`, the faults of content go to standard output instead.
 * Returns the exit status.
 */
export function reportFailure(error: unknown, print: (line: string) => void): number {
  if (error instanceof FaultyContent && process.argv.includes('--json')) {
    print(JSON.stringify({ errors: error.faults }))
  } else if (error instanceof FaultyContent) {
    for (const fault of error.faults) printError(formatFault(fault))
  }
  for (const line of describe(error)) printError(line)
  return EXIT_REFUSED
}

function describe(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  const expected = [BackupError, ConfigError, EmbeddedStoreError, Refusal, RefusedError, UnusableDatabaseError]
  if (expected.some((kind) => error instanceof kind)) return [error.message]
  const line = describeDatabaseFault(error) ?? describeFileFault(error)
  return line === undefined ? (error.stack ?? error.message).split('\n') : [line]
}

function describeFileFault({ code, path }: NodeJS.ErrnoException): string | undefined {
  return path === undefined ? undefined : `Auf ${path} kann nicht zugegriffen werden (${code}).`
}
