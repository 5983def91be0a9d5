import { createHash } from 'node:crypto'

/** Between the fields of a note. */
const FIELD_SEPARATOR = '\x1f'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** The fields as a note keeps them. A text that holds the separator itself would be two. */
export function joinFields(fields: readonly string[]): string {
  return fields.map((field) => field.replaceAll(FIELD_SEPARATOR, ' ')).join(FIELD_SEPARATOR)
}

/** What Anki sorts by and looks for duplicates in: the text of a field, with the names of its pictures. */
export function stripField(html: string): string {
  if (!/[<&]/.test(html)) return html
  return html
    .replaceAll(/<img src="([^"]+)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
      code === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(code)),
    )
}

/** The first four bytes of the SHA-1 of a stripped field. */
export function checksum(stripped: string): number {
  return createHash('sha1').update(stripped).digest().readUInt32BE()
}
