/** A comment in a question that this service has written, with the number of answers that are the card's own */
export const OWN_MARK = /^svc-training ([01])$/

export function ownMark(answers: 0 | 1): string {
  return `<!-- svc-training ${answers} -->`
}
