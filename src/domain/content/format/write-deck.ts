import { CARD_TEXTS, type CardTexts, EMPTY_TEXTS, type GivenTexts, isSameText, TEXT_RULES } from '../card-texts.js'
import { COMMENT_TEXTS } from './card-comment.js'
import { readCards } from './parse-deck.js'
import { writeTaskList } from './task-list.js'
import { writeTranslation } from './translation.js'
import { NO_TEXT, writeExerciseJson, writeFence, writeJsonText } from './verbatim.js'
import { toFrontMatterLine, writeFrontMatter } from './write-front-matter.js'

/** Front matter of a deck to be written; absent keys have their default. */
export interface WrittenDeck {
  name: string
  description: string
  sort_order: number
  tests_only?: boolean
  options_off?: boolean
  lang?: string
  translation_of?: string | null
  desired_retention?: number | null
}

export interface WrittenCard extends GivenTexts {
  /** Unique in the deck, `[a-z0-9-]{1,64}` */
  key: string
  draft?: boolean
}

/**
 * Writes the front matter of a deck file.
 * @param slug undefined if the file name implies it
 * @example writeDeckHead({ name: 'Git', description: '', sort_order: 0 }, undefined) // '---\nname: Git\n---\n'
 */
export function writeDeckHead(deck: WrittenDeck, slug: string | undefined): string {
  return writeFrontMatter({
    ...(slug !== undefined && { slug }),
    name: toFrontMatterLine(deck.name) || slug || 'Deck',
    ...(deck.description !== '' && { description: deck.description }),
    ...(deck.sort_order !== 0 && { sort_order: deck.sort_order }),
    ...(deck.tests_only === true && { tests_only: true }),
    ...(deck.options_off === true && { options: 'off' }),
    ...writeTranslation(deck),
    ...(deck.desired_retention != null && { desired_retention: deck.desired_retention }),
  })
}

/**
 * Writes a card so that `parseDeck` returns the same card, with `\n` line ends and each label on one line. If possible,
 * the first line of the question is the heading. Otherwise the question is below an empty heading, or, if this is not
 * possible either, the card is verbatim.
 * @param isOptionsOff whether the deck has `options: off`
 * @example
 * writeCard({ key: 'a', question: 'F', answer: 'A', level: 'l' })
 * // '## F\n<!-- id: a; level: l -->\n\n### Antwort\nA\n'
 */
export function writeCard(card: WrittenCard, isOptionsOff = false): string {
  const whole: WholeCard = { ...EMPTY_TEXTS, draft: false, ...card }
  for (const name of CARD_TEXTS) {
    const text = whole[name]
    whole[name] = TEXT_RULES[name].isMarkdown ? text.replaceAll(/\r\n?/g, '\n') : toFrontMatterLine(text)
  }
  for (const answer of writeAnswers(whole)) {
    for (const text of [writeWithHeading(whole, answer), writeBelowHeading(whole, answer)]) {
      if (text !== undefined && isReadAs(text, whole, isOptionsOff)) return text
    }
  }
  const comment = writeComment({ ...whole, exercise: null }, writeJsonText, '; verbatim: true')
  const json = whole.exercise === null ? '' : `\n${writeExerciseJson(whole.exercise)}\n`
  return `##\n${comment}\n${writeFence(whole.question)}\n\n### Antwort\n${writeFence(whole.answer)}\n${json}`
}

type WholeCard = CardTexts & { key: string; draft: boolean }

/**
 * Returns two versions of the answer with its options: one with the bullet `-`, one with `*`. If the answer ends with a
 * list, the bullet of the options must differ from that list. Returns only the answer if there are no options.
 */
function writeAnswers({ answer, exercise }: WholeCard): string[] {
  const options = exercise?.options ?? []
  if (options.length === 0) return [answer]
  return ['-', '*'].map((bullet) => `${answer}\n\n${writeTaskList(options, bullet)}`)
}

/** Writes the first line of the question as heading; returns undefined if there is a second line that is not empty. */
function writeWithHeading(card: WholeCard, answer: string): string | undefined {
  const [heading = '', ...rest] = card.question.split('\n')
  if (rest.length > 0 && rest[0] !== '') return undefined
  const more = rest.slice(1).join('\n')
  return compose(`## ${heading}`, card, more === '' ? '' : `${more}\n\n`, answer)
}

function writeBelowHeading(card: WholeCard, answer: string): string {
  return compose('##', card, `${card.question}\n\n`, answer)
}

function compose(heading: string, card: WholeCard, more: string, answer: string): string {
  const below = more === '' ? '\n' : more
  const comment = writeComment(card, (text) => text || NO_TEXT)
  return `${heading}\n${comment}\n${below}### Antwort\n${answer}\n`
}

function writeComment(card: WholeCard, writeText: (text: string) => string, end = ''): string {
  const { form = 'choice', tolerance = null, unit = null } = card.exercise ?? {}
  const texts = COMMENT_TEXTS.filter((name) => name === 'level' || card[name] !== '')
  const keys = [
    `id: ${card.key}`,
    ...texts.map((name) => `${name}: ${writeText(card[name])}`),
    ...(form === 'choice' ? [] : [`form: ${form}`]),
    ...(tolerance === null ? [] : [`tolerance: ${tolerance}`]),
    ...(unit === null ? [] : [`unit: ${unit}`]),
    ...(card.draft ? ['draft: true'] : []),
  ]
  return `<!-- ${keys.join('; ')}${end} -->`
}

/** Card that `isReadAs` appends: an unclosed construct in the written card would include this card */
const NEXT = '\n## Ende\n<!-- id: ende; level: ende -->\n\n### Antwort\nEnde\n'

/** Returns whether parsing the text returns the card. Plain cards need no parsing. */
function isReadAs(text: string, card: WholeCard, isOptionsOff: boolean): boolean {
  const { key, draft } = card
  if (isPlain(card)) return true
  const cards = readCards(`${text}${NEXT}`, isOptionsOff)
  const [read] = cards ?? []
  return cards?.length === 2 && read?.key === key && read.draft === draft && isSameText(read, card)
}

/**
 * Matches the start of a line that may be a heading or open a block that continues after the next heading. Most texts
 * contain no such line, so `isReadAs` need not parse them.
 */
const SPECIAL_LINE = /^[ \t]*(?:[<#~`>*+-]|\d{1,9}[.)]|\t| {4})/m

function isPlain({ question, answer, exercise, ...card }: WholeCard): boolean {
  return (
    exercise === null &&
    !question.includes('\n') &&
    isTrimmed(question) &&
    !question.endsWith('#') &&
    isTrimmed(answer) &&
    !SPECIAL_LINE.test(answer) &&
    COMMENT_TEXTS.every((name) => isPlainInComment(card[name]))
  )
}

function isPlainInComment(text: string): boolean {
  return text.trim() === text && text !== NO_TEXT && !/[;<>\n]|^-|--/.test(text)
}

function isTrimmed(text: string): boolean {
  return text !== '' && text.trim() === text
}
