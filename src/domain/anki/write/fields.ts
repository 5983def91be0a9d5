import { createHash } from 'node:crypto'

const FIELD_SEPARATOR = '\x1f'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * Joins the fields of a note. A separator within a field becomes a space.
 * @example joinFields(['a', 'b']) // 'a\x1fb'
 */
export function joinFields(fields: readonly string[]): string {
  return fields.map((field) => field.replaceAll(FIELD_SEPARATOR, ' ')).join(FIELD_SEPARATOR)
}

/**
 * Returns the text that Anki sorts by and compares for duplicates: a field without tags, with the names of its pictures
 * and decoded entities.
 * @example stripField('<b>1 &lt; 2</b>') // '1 < 2'
 */
export function stripField(html: string): string {
  if (!/[<&]/.test(html)) return html
  return html
    .replaceAll(/<img src="([^"]+)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
      code === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(code)),
    )
}

/** Returns the first four bytes of the SHA-1 of a stripped field as a number, as Anki stores it. */
export function checksum(stripped: string): number {
  return createHash('sha1').update(stripped).digest().readUInt32BE()
}
