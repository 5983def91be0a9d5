import type { ReviewedQuestion } from '../types.js'

/** Returns the Markdown that explains a question; empty if it only repeats the right answer, which is shown anyway. */
export function explanationOf({ form, explanation, accepted, items = [] }: ReviewedQuestion): string {
  const text = explanation.trim()
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (form === 'order' && lines.length === items.length) return ''
  if ((form === 'text' || form === 'number') && accepted?.includes(text)) return ''
  return text
}
