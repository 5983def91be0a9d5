/** Comment in each exported question: whether (1) or not (0) its first answer is the answer of the card */
export const OWN_MARK = /^svc-training ([01])$/

export function ownMark(answers: 0 | 1): string {
  return `<!-- svc-training ${answers} -->`
}
