import { toField } from '../domain/text/printable.js'

/** Says a line on standard error, beside what the command prints. */
export function complain(line: string): void {
  process.stderr.write(`${toField(line)}\n`)
}
