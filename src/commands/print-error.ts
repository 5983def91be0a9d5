import { escapeField } from '../domain/text/printable.js'

export function printError(line: string): void {
  process.stderr.write(`${escapeField(line)}\n`)
}
