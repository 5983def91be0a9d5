/** Comment that marks an exported question; contains 1 if the first answer repeats the card's answer, otherwise 0 */
export const EXPORT_MARKER = /^svc-training ([01])$/

export function formatExportMarker(answers: 0 | 1): string {
  return `<!-- svc-training ${answers} -->`
}
