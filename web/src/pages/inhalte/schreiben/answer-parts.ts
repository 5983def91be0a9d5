import { countOf } from '../../../words/numbers.js'
import { countChoices, firstTexts } from './without-gaps.js'

const ITEM = /^ {0,3}\d{1,9}[.)][ \t]+\S/

interface Found {
  text: string
  /** Whether the answer contains what the question type requires */
  isRight: boolean
}

/**
 * Describes the numbered list in an answer.
 * @example orderWords('1. eins\n2. zwei') // { text: '2 Punkte gefunden.', isRight: true }
 */
export function orderWords(answer: string): Found {
  const points = answer.split('\n').filter((line) => ITEM.test(line)).length
  if (points === 0) return { text: 'In der Antwort steht noch keine nummerierte Liste.', isRight: false }
  if (points === 1) return { text: 'Die Liste braucht mindestens zwei Punkte.', isRight: false }
  return { text: `${countOf(points, 'Punkt', 'Punkte')} gefunden.`, isRight: true }
}

/**
 * Describes the gaps in an answer.
 * @example gapWords('In {{72|zweiundsiebzig}} Stunden') // { text: '1 Lücke gefunden: 72.', isRight: true }
 */
export function gapWords(answer: string): Found {
  const gaps = firstTexts(answer)
  if (gaps.length === 0) return { text: 'In der Antwort ist noch keine Lücke.', isRight: false }
  const choices = countChoices(answer)
  const chosen = choices === 0 ? '' : ` ${choices === gaps.length ? 'Alle' : choices} zum Auswählen.`
  return { text: `${countOf(gaps.length, 'Lücke', 'Lücken')} gefunden: ${gaps.join(', ')}.${chosen}`, isRight: true }
}
