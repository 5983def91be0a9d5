let last = 0

export function placeholder(): string {
  last += 1
  const name = `Bild ${last} wird hochgeladen …`
  return `![${name}](#upload-${last})`
}

/** A placeholder in any language, or one of an earlier version of the app, which had no address */
const PLACEHOLDERS = /!\[[^[\]\n]*\]\(#upload-\d+\)|!\[Bild \d+ wird hochgeladen …\]\(\)/g

/**
 * Removes the placeholders of uploads that a reload has interrupted.
 * @example withoutPlaceholders('a ![Uploading picture 1 …](#upload-1)') // 'a '
 */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(PLACEHOLDERS, '')
}
