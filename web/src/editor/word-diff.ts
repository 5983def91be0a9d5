import { diffLines, diffWordsWithSpace } from 'diff'

export interface DiffPart {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Maximum number of added and removed words or lines; a comparison with more would take too long. */
const MAX_WORD_EDITS = 2_000
const MAX_LINE_EDITS = 4_000

/**
 * Compares two texts by words. If there are too many differences, compares them by lines; if there are still too many,
 * returns the texts as a whole.
 */
export function diffTexts(before: string, after: string): DiffPart[] {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }]
  const changes =
    diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS }) ??
    diffLines(before, after, { maxEditLength: MAX_LINE_EDITS })
  if (changes === undefined) return whole(before, after)
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

function whole(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]
  return parts.filter(({ text }) => text !== '')
}
