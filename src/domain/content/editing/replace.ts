import type { CardTexts } from './card.js'

export interface Replacement {
  find: string
  with: string
  match_case?: boolean | undefined
  /** Whether to skip hits next to a letter, combining mark, digit or `_` */
  whole_word?: boolean | undefined
}

const WORD = String.raw`[\p{L}\p{M}\p{N}_]`

/**
 * Returns a function that replaces all hits in a text and counts them. Texts are compared in NFC. A text with a hit is
 * returned in NFC, a text without a hit unchanged.
 * @example createReplacer({ find: 'ÄPFEL', with: 'Birnen' })('Drei Äpfel') // { text: 'Drei Birnen', hits: 1 }
 */
export function createReplacer({ find, with: replacement, match_case, whole_word }: Replacement) {
  const escaped = find.normalize('NFC').replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const source = whole_word === true ? `(?<!${WORD})${escaped}(?!${WORD})` : escaped
  const pattern = new RegExp(source, match_case === true ? 'gu' : 'giu')
  const target = replacement.normalize('NFC')
  return (text: string): { text: string; hits: number } => {
    let hits = 0
    const changed = text.normalize('NFC').replaceAll(pattern, () => {
      hits++
      return target
    })
    return hits === 0 ? { text, hits } : { text: changed, hits }
  }
}

export function replaceInCard<T extends CardTexts>(card: T, replacer: ReturnType<typeof createReplacer>) {
  let hits = 0
  const replace = (text: string) => {
    const result = replacer(text)
    hits += result.hits
    return result.text
  }
  const { question, answer, exercise } = card
  const options = exercise?.options.map(({ text, correct, feedback }) => ({
    text: replace(text),
    correct,
    feedback: feedback && replace(feedback),
  }))
  const texts: CardTexts = {
    question: replace(question),
    answer: replace(answer),
    level: card.level,
    exercise: exercise && { ...exercise, options: options ?? [] },
  }
  return { texts, hits }
}
