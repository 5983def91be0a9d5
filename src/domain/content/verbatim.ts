/**
 * What a deck file cannot hold as it stands (a question with a heading of its own, a text that ends in an open fence, a
 * level with a semicolon) is written verbatim: `verbatim: true` in the card's comment says that question and answer stand
 * in one fence each, and the level as JSON.
 */

/** A fence that the text cannot close. */
export function writeFence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${text}\n${marks}`
}

/** The text of a fence that is made of these lines. */
export function readFence(lines: readonly string[]): string {
  return lines.slice(1, -1).join('\n')
}

/** As JSON without what ends an entry, or the comment. */
export function writeLevel(level: string): string {
  return JSON.stringify(level).replaceAll(/[;<>\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Undefined when the text is not the JSON of a text. */
export function readLevel(json: string): string | undefined {
  try {
    const level: unknown = JSON.parse(json)
    return typeof level === 'string' ? level : undefined
  } catch {
    return undefined
  }
}
