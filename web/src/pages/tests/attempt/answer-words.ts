import { plainText } from '../../../markdown/inline.js'
import type { GivenAnswer, Question } from '../types.js'

export function answerWords(
  { options = [], items = [], gaps = [] }: Pick<Question, 'options' | 'items' | 'gaps'>,
  answer: GivenAnswer,
): string {
  if ('text' in answer) return answer.text
  if ('gaps' in answer) return gaps.map(({ id }) => answer.gaps[id] || '…').join(' · ')
  const [ids, parts] = 'option_ids' in answer ? [answer.option_ids, options] : [answer.item_ids, items]
  return ids.map((id) => plainText(parts.find((part) => part.id === id)?.text ?? '')).join(' · ')
}
