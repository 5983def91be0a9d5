/** Maximum length, in characters, of a card's answer that the learner is asked to type */
const LONGEST = 200

/** Fenced or indented code, which learners do not type from memory. */
const CODE_BLOCK = /(^|\n)\s*(```|~~~)|(^|\n)( {4}|\t)\S/

export function isTypable(answer: string): boolean {
  return [...answer].length <= LONGEST && !CODE_BLOCK.test(answer)
}
