import { plainText } from '../../../markdown/inline.js'
import type { GivenAnswer, Question } from '../types.js'

export function answerWords(
  { options = [], items = [], gaps = [] }: Pick<Question, 'options' | 'items' | 'gaps'>,
  { text, gaps: filled, option_ids, item_ids = [] }: GivenAnswer,
): string {
  if (text !== undefined) return text
  if (filled !== undefined) return gaps.map(({ id }) => filled[id] || '…').join(' · ')
  const [ids, parts] = option_ids === undefined ? [item_ids, items] : [option_ids, options]
  return ids.map((id) => plainText(parts.find((part) => part.id === id)?.text ?? '')).join(' · ')
}
