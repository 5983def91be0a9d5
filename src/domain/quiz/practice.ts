import type { Exercise } from '../questions/exercise.js'
import { type Candidate, type Prepared, prepareCandidate, rankDistractors } from './distractors.js'
import { arrange, MAX_WRONG_OPTIONS, type QuizQuestion, type Random } from './quiz.js'

export interface PracticeCard extends Candidate {
  exercise: Exercise | null
}

/** Length of an option, in UTF-16 code units, from which it is cut */
const MAX_OPTION_LENGTH = 300
/** Minimum length of a cut option; with less, the rest is a block of code, which is never cut. */
const MIN_OPTION_LENGTH = 40

/**
 * Builds a practice question of a card. All options have one origin, so that they are alike in form and length: the
 * author's, or else the beginnings of answers of the deck, if possible of the same kind.
 * @param answers the answers of the deck, as `prepareAnswer` returns them
 * @returns undefined if there are no wrong options, or if the right one is a long block of code
 */
export function buildPracticeQuestion(
  card: PracticeCard,
  deckName: string,
  answers: readonly Prepared[],
  random: Random = Math.random,
): QuizQuestion | undefined {
  const options = card.exercise?.form === 'choice' ? card.exercise.options : []
  const authored = options.filter(({ correct }) => !correct).flatMap(({ text }) => cutOption(text) ?? [])
  const key = options.find(({ correct }) => correct)?.text
  const correct = key === undefined ? optionOf(card.answer) : cutOption(key)
  if (correct === undefined) return undefined
  const found = authored.length > 0 ? authored : rankAnswers(card, correct, answers)
  const wrong = found.filter((text) => text !== correct)
  if (wrong.length === 0) return undefined
  const { card_id, question, answer } = card
  return { ...arrange(correct, wrong, random), card_id, question, full_answer: answer, deck_name: deckName }
}

/** Returns the beginning of a card's answer as a wrong option for other cards; undefined if it cannot be an option. */
export function prepareAnswer(card: PracticeCard): Prepared | undefined {
  const answer = optionOf(card.answer)
  return answer === undefined ? undefined : prepareCandidate({ ...card, answer })
}

function rankAnswers(card: PracticeCard, correct: string, answers: readonly Prepared[]): string[] {
  const alike = rankDistractors(card, correct, answers, MAX_WRONG_OPTIONS)
  return alike.length > 0 ? alike : rankDistractors(card, correct, answers, MAX_WRONG_OPTIONS, 'any')
}

/** Start of a block other than a paragraph of text */
const OTHER_BLOCK = /^(?:[-*+>|#]|\d+[.)]|```|~~~|!\[)/

/** Returns the first paragraph of an answer if that can stand alone, and otherwise as much of the answer as fits. */
function optionOf(answer: string): string | undefined {
  const [first = ''] = answer.trim().split(/\n[ \t]*\n/, 1)
  const isAlone = first !== '' && !OTHER_BLOCK.test(first) && !first.endsWith(':')
  return cutOption(isAlone ? first : answer)
}

/**
 * Returns an option, cut at the end of a word and outside of code if it is too long; undefined if that leaves too
 * little.
 * @example cutOption('eins zwei drei') // 'eins zwei drei'
 */
function cutOption(markdown: string): string | undefined {
  if (markdown.length <= MAX_OPTION_LENGTH) return markdown
  const start = markdown.slice(0, MAX_OPTION_LENGTH + 1)
  const text = start.slice(0, Math.max(start.search(/\s\S*$/), 0))
  const kept = text.slice(0, startOfOpenCode(text) ?? text.length).trimEnd()
  return kept.length < MIN_OPTION_LENGTH ? undefined : `${kept} …`
}

/** Returns the index of the backticks that open code which does not end in the text; undefined if there is none. */
function startOfOpenCode(text: string): number | undefined {
  let open: { index: number; length: number } | undefined
  for (const { 0: marks, index } of text.matchAll(/`+/g)) {
    if (open === undefined) open = { index, length: marks.length }
    else if (open.length === marks.length) open = undefined
  }
  return open?.index
}
