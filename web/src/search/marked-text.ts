export interface Part {
  text: string
  isHit: boolean
}

/**
 * Splits a text at its hits. The ranges are sorted and in UTF-16 code units. Empty ranges are ignored; overlapping
 * ranges are cut.
 * @example markText('Git rebase', [[0, 3]]) // [{ text: 'Git', isHit: true }, { text: ' rebase', isHit: false }]
 */
export function markText(text: string, ranges: readonly (readonly number[])[]): Part[] {
  const parts: Part[] = []
  let at = 0
  for (const [start = 0, end = 0] of ranges) {
    const from = Math.max(start, at)
    const to = Math.min(end, text.length)
    if (from >= to) continue
    if (from > at) parts.push({ text: text.slice(at, from), isHit: false })
    parts.push({ text: text.slice(from, to), isHit: true })
    at = to
  }
  if (at < text.length) parts.push({ text: text.slice(at), isHit: false })
  return parts
}
