import { toField } from '../domain/text/printable.js'

/** Prints a line to standard error. */
export function printError(line: string): void {
  process.stderr.write(`${toField(line)}\n`)
}
