import { hash } from 'node:crypto'

/** Tells whether texts are those of the store: 32 hexadecimal digits of their SHA-256, with a NUL between two texts. */
export function digestText(...texts: string[]): string {
  return hash('sha256', texts.join('\0'), 'hex').slice(0, 32)
}
