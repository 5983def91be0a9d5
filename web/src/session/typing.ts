/** Maximum length of an answer that is typed, in characters */
const LONGEST = 200

/** Fenced or indented code, which learners do not type from memory. */
const CODE_BLOCK = /(^|\n)\s*(```|~~~)|(^|\n)( {4}|\t)\S/

/** Returns whether an answer is short enough to be typed and contains no code block. */
export function isTypable(answer: string): boolean {
  return [...answer].length <= LONGEST && !CODE_BLOCK.test(answer)
}
