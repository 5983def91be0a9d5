/** Comment that marks an exported question: 1 if its first answer is the card's own answer, otherwise 0 */
export const OWN_MARK = /^svc-training ([01])$/

export function ownMark(answers: 0 | 1): string {
  return `<!-- svc-training ${answers} -->`
}
