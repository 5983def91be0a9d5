import type { Fault, Warning } from './types.js'

/** A line that editors and people find the place by: `decks/git.md:12: Die Karte hat keine Antwort`. */
export function formatFault({ file, line, message }: Fault): string {
  return `${file}:${line}: ${message}`
}

export function formatWarning({ file, line, message }: Warning): string {
  return `${file}:${line}: Warnung: ${message}`
}
