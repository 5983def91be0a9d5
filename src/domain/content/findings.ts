import type { Fault, Warning } from './types.js'

/**
 * Formats a fault as `file:line: message`, which many editors and terminals turn into a link.
 * @example formatFault({ file: 'a.md', line: 2, message: 'Kein Level' }) // 'a.md:2: Kein Level'
 */
export function formatFault({ file, line, message }: Fault): string {
  return `${file}:${line}: ${message}`
}

/**
 * Formats a warning as `file:line: Warnung: message`.
 * @example formatWarning({ file: 'a.md', line: 2, message: 'Kein Level' }) // 'a.md:2: Warnung: Kein Level'
 */
export function formatWarning({ file, line, message }: Warning): string {
  return `${file}:${line}: Warnung: ${message}`
}

const MAX_WARNINGS = 200

/** Sorts the warnings in place by file and line; returns the first 200. */
export function sortWarnings<Item extends Warning>(warnings: Item[]): Item[] {
  return warnings.sort(comparePlaces).slice(0, MAX_WARNINGS)
}

export function comparePlaces(a: Fault, b: Fault): number {
  return compareText(a.file, b.file) || a.line - b.line
}

/** Compares strings by code units, independently of the locale of the machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
