import { readCards } from './parse-deck.js'
import { writeFence, writeLevel } from './verbatim.js'
import { toLine, writeFrontMatter } from './write-front-matter.js'

export interface WrittenDeck {
  name: string
  description: string
  sort_order: number
}

export interface WrittenCard {
  /** Unique in the deck, `[a-z0-9-]{1,64}` */
  key: string
  question: string
  answer: string
  level: string
}

/**
 * Writes the beginning of a deck file.
 * @param slug undefined if the file name implies it
 * @example writeDeckHead({ name: 'Git', description: '', sort_order: 0 }, undefined) // '---\nname: Git\n---\n'
 */
export function writeDeckHead(deck: WrittenDeck, slug: string | undefined): string {
  return writeFrontMatter({
    ...(slug !== undefined && { slug }),
    name: toLine(deck.name) || slug || 'Deck',
    ...(deck.description !== '' && { description: deck.description }),
    ...(deck.sort_order !== 0 && { sort_order: deck.sort_order }),
  })
}

/**
 * Writes a card so that `parseDeck` reads the same: as people write it if possible, otherwise with the question below
 * an empty heading, otherwise verbatim.
 * @example writeCard({ key: 'a', question: 'F', answer: 'A', level: 'l' }) // '## F\n<!-- id: a; level: l -->\n\n### Antwort\nA\n'
 */
export function writeCard(card: WrittenCard): string {
  const level = toLine(card.level)
  if (card.question.includes('\r') || card.answer.includes('\r')) {
    return writeCard({ ...card, question: toUnix(card.question), answer: toUnix(card.answer) })
  }
  for (const text of [writeWithHeading(card, level), writeBelowHeading(card, level)]) {
    if (text !== undefined && reads(text, { ...card, level })) return text
  }
  const comment = `<!-- id: ${card.key}; level: ${writeLevel(level)}; verbatim: true -->`
  return `##\n${comment}\n${writeFence(card.question)}\n\n### Antwort\n${writeFence(card.answer)}\n`
}

/** Writes the first line of the question as heading. */
function writeWithHeading({ key, question, answer }: WrittenCard, level: string): string | undefined {
  const [heading = '', ...rest] = question.split('\n')
  if (rest.length > 0 && rest[0] !== '') return undefined
  const more = rest.slice(1).join('\n')
  return compose(`## ${heading}`, key, level, more === '' ? '' : `${more}\n\n`, answer)
}

function writeBelowHeading({ key, question, answer }: WrittenCard, level: string): string {
  return compose('##', key, level, `${question}\n\n`, answer)
}

function compose(heading: string, key: string, level: string, more: string, answer: string): string {
  const below = more === '' ? '\n' : more
  return `${heading}\n<!-- id: ${key}; level: ${level} -->\n${below}### Antwort\n${answer}\n`
}

/** A card that follows in the file; an open construct would swallow it. */
const NEXT = '\n## Ende\n<!-- id: ende; level: ende -->\n\n### Antwort\nEnde\n'

function reads(text: string, { question, answer, level, key }: WrittenCard): boolean {
  if (isPlain(question, answer, level)) return true
  const cards = readCards(`${text}${NEXT}`)
  const [card] = cards ?? []
  return (
    cards?.length === 2 &&
    card?.key === key &&
    card.question === question &&
    card.answer === answer &&
    card.level === level
  )
}

/**
 * Lines that start a block which following text could not end, or a heading. Most texts contain none and need no
 * parser.
 */
const SPECIAL_LINE = /^[ \t]*(?:[<#~`>*+-]|\d{1,9}[.)]|\t| {4})/m

function isPlain(question: string, answer: string, level: string): boolean {
  return (
    !question.includes('\n') &&
    isTrimmed(question) &&
    !question.endsWith('#') &&
    isTrimmed(answer) &&
    !SPECIAL_LINE.test(answer) &&
    isTrimmed(level) &&
    !/[;<>]/.test(level) &&
    !/^[->]|--/.test(level)
  )
}

function isTrimmed(text: string): boolean {
  return text !== '' && text.trim() === text
}

function toUnix(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}
