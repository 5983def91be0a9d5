import type { Exercise } from '../questions/exercise.js'
import type { Details } from '../refusal.js'
import type { TestDefinition, TestSection } from './definition.js'
import { MAX_DRAWN, MAX_QUESTIONS } from './limits.js'

export interface SectionCard {
  /** Null if the import has not written the card yet */
  id: number | null
  key: string
  level: string
  question: string
  answer: string
  /** Null for a plain card */
  exercise: Exercise | null
  state: 'live' | 'draft' | 'archived'
}

export type QuestionCard = SectionCard & { exercise: Exercise }

/** A deck that a test refers to; plain cards that no section lists may be absent. */
export interface SectionDeck {
  slug: string
  /** Whether the deck is a pool: only tests use its cards */
  tests_only: boolean
  is_live: boolean
  cards: SectionCard[]
}

export interface ResolvedSection {
  cards: QuestionCard[]
  draw: number
  /** Whether learners can look up the answers, because the deck is not a pool */
  isOpen: boolean
}

/** Kind of a fault that prevents publication, with the values of its message */
export type Cause = Details & { kind: string }

/**
 * Reports a fault that prevents publication; `section` is the index of the section, undefined for the whole test.
 * @param message German sentence
 */
export type ReportSection = (message: string, cause: Cause, section?: number) => void

/**
 * Finds the questions of each section. If a fault is reported, the result must not be used.
 * @param decks the decks that the test may use, by slug
 */
export function resolveSections(
  { sections }: TestDefinition,
  decks: ReadonlyMap<string, SectionDeck>,
  report: ReportSection,
): ResolvedSection[] {
  const usedIn = new Map<SectionCard, number>()
  let isFaulty = false
  const resolved = sections.map((section, index) => {
    const note = (message: string, cause: Cause) => {
      isFaulty = true
      report(message, cause, index)
    }
    const deck = decks.get(section.deck)
    const cards = findCards(section, deck, note)
    for (const card of cards) {
      const other = usedIn.get(card)
      if (other === undefined) usedIn.set(card, index)
      else {
        const cause = { kind: 'card_twice', card: card.key, deck: section.deck, other: other + 1 }
        note(`Die Karte „${card.key}“ aus „${section.deck}“ steht schon in Abschnitt ${other + 1}`, cause)
      }
    }
    return { cards, draw: section.draw ?? cards.length, isOpen: deck?.tests_only === false }
  })
  if (isFaulty) return resolved
  if (usedIn.size > MAX_QUESTIONS) {
    report(`Ein Test hat höchstens ${MAX_QUESTIONS.toLocaleString('de-DE')} Fragen zur Auswahl`, {
      kind: 'too_many_questions',
      maximum: MAX_QUESTIONS,
    })
  }
  if (resolved.reduce((sum, { draw }) => sum + draw, 0) > MAX_DRAWN) {
    report(`Ein Versuch hat höchstens ${MAX_DRAWN} Fragen: „draw“ begrenzt sie`, {
      kind: 'too_many_drawn',
      maximum: MAX_DRAWN,
    })
  }
  return resolved
}

/**
 * Finds the questions of a variant: of each section, the cards of the translated deck whose keys are those of the
 * original's questions. A missing card is a fault, so a variant never has fewer questions. Levels may be translated.
 * @param translated slugs of the decks in the language of the variant, by the slugs in the sections
 */
export function resolveVariant(
  definition: TestDefinition,
  lang: string,
  decks: ReadonlyMap<string, SectionDeck>,
  translated: ReadonlyMap<string, string>,
  report: ReportSection,
): ResolvedSection[] {
  let isFaulty = false
  const note: ReportSection = (message, cause, section) => {
    isFaulty = true
    report(message, cause, section)
  }
  const original = resolveSections(definition, decks, note)
  const sections = definition.sections.map(({ deck, draw }, index): TestSection => {
    const own = translated.get(deck)
    if (own === undefined) {
      note(
        `Das Deck „${deck}“ gibt es nicht in der Sprache ${lang}`,
        { kind: 'deck_not_translated', deck, lang },
        index,
      )
    }
    return { deck: own ?? deck, level: null, cards: original[index]?.cards.map(({ key }) => key) ?? [], draw }
  })
  return isFaulty ? original : resolveSections({ ...definition, sections }, decks, report)
}

type Note = (message: string, cause: Cause) => void

function findCards(section: TestSection, deck: SectionDeck | undefined, note: Note): QuestionCard[] {
  if (deck === undefined) {
    note(`Das Deck „${section.deck}“ gibt es nicht`, { kind: 'deck_missing', deck: section.deck })
    return []
  }
  if (!deck.is_live) {
    note(`Das Deck „${section.deck}“ ist archiviert`, { kind: 'deck_archived', deck: section.deck })
    return []
  }
  if (section.cards !== null) return findListed(section.cards, deck, note)
  const cards = deck.cards
    .filter(isQuestion)
    .filter(({ state, level }) => state === 'live' && (section.level === null || level === section.level))
  const place = section.level === null ? `„${deck.slug}“` : `„${deck.slug}“ mit dem Level „${section.level}“`
  if (cards.length === 0) {
    note(`Im Deck ${place} gibt es keine Frage`, {
      kind: section.level === null ? 'no_question' : 'no_question_at_level',
      deck: deck.slug,
      level: section.level,
    })
  } else if (cards.length < (section.draw ?? 0)) {
    note(
      `„draw“ ist ${section.draw}, aber im Deck ${place} gibt es nur ${cards.length === 1 ? 'eine Frage' : `${cards.length} Fragen`}`,
      {
        kind: section.level === null ? 'too_few_questions' : 'too_few_questions_at_level',
        deck: deck.slug,
        level: section.level,
        draw: section.draw,
        questions: cards.length,
      },
    )
  }
  return cards
}

function findListed(keys: readonly string[], deck: SectionDeck, note: Note): QuestionCard[] {
  const byKey = new Map<string, SectionCard>()
  for (const card of deck.cards) if (!byKey.has(card.key)) byKey.set(card.key, card)
  return keys.flatMap((key) => {
    const card = byKey.get(key)
    const name = `Die Karte „${key}“`
    if (card === undefined)
      note(`${name} gibt es im Deck „${deck.slug}“ nicht`, { kind: 'card_missing', card: key, deck: deck.slug })
    else if (card.state === 'draft') note(`${name} ist ein Entwurf`, { kind: 'card_is_draft', card: key })
    else if (card.state === 'archived') note(`${name} ist archiviert`, { kind: 'card_archived', card: key })
    else if (!isQuestion(card)) {
      note(`${name} ist keine Frage: ihr fehlen Antworten zur Auswahl oder „form“`, {
        kind: 'card_is_no_question',
        card: key,
      })
    } else return [card]
    return []
  })
}

export function isQuestion(card: SectionCard): card is QuestionCard {
  return card.exercise !== null
}
