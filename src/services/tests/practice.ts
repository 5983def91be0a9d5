import type { Kysely } from 'kysely'
import { listOtherVariants } from '../../../db/queries/content/preferred.js'
import { type DrawnCard, drawCards } from '../../../db/queries/quiz/draw.js'
import { type CardOfDeck, listPracticeCards } from '../../../db/queries/tests/practice.js'
import type { Database } from '../../../db/types.js'
import type { Learner } from '../../domain/content/learner.js'
import { DEFAULT_LANGUAGE } from '../../domain/content/translations.js'
import type { Prepared } from '../../domain/quiz/distractors.js'
import { buildPracticeQuestion, prepareAnswer } from '../../domain/quiz/practice.js'
import type { QuizQuestion } from '../../domain/quiz/quiz.js'
import { runInTurns } from '../content/turns.js'

/** A question with the language of its deck */
export interface PracticeQuestion extends QuizQuestion {
  lang: string
}

/** Number of cards drawn in addition, for cards that give no question */
const SPARE = 20

/**
 * Returns practice questions of a deck, or of all decks, without pools. Of a group, all decks include only the learner's
 * variant. Leaves out cards without wrong options: the
 * author gives none, and the deck has no other answer.
 * @param slug slug of the deck; undefined for all decks
 * @param count maximum number of questions
 */
export async function drawPractice(
  db: Kysely<Database>,
  slug: string | undefined,
  count: number,
  learner: Learner,
): Promise<PracticeQuestion[]> {
  const others = slug === undefined ? await listOtherVariants(db, 'deck', learner) : []
  const drawn = await drawCards(db, slug, count + SPARE, others)
  const questions = await buildQuestions(db, drawn.slice(0, count))
  const missing = count - questions.length
  if (missing === 0 || drawn.length <= count) return questions
  const more = await buildQuestions(db, drawn.slice(count))
  return [...questions, ...more.slice(0, missing)]
}

async function buildQuestions(db: Kysely<Database>, drawn: readonly DrawnCard[]): Promise<PracticeQuestion[]> {
  const cards = await listPracticeCards(
    db,
    drawn.map(({ card_id }) => card_id),
  )
  return runInTurns(buildInSteps(drawn, cards))
}

/** Builds the questions. Yields after each answer and each question. */
function* buildInSteps(
  drawn: readonly DrawnCard[],
  cards: readonly CardOfDeck[],
): Generator<undefined, PracticeQuestion[]> {
  const known = new Map(cards.map((card) => [card.card_id, card]))
  const prepared = new Map<number, Prepared[]>()
  const questions: PracticeQuestion[] = []
  for (const { card_id, deck_name } of drawn) {
    // The card may have been archived since it was drawn.
    const card = known.get(card_id)
    if (card === undefined) continue
    const { deck_id, lang = DEFAULT_LANGUAGE } = card
    const answers = prepared.get(deck_id) ?? (yield* prepareInSteps(cards, deck_id))
    prepared.set(deck_id, answers)
    const question = buildPracticeQuestion(card, deck_name, answers)
    if (question !== undefined) questions.push({ ...question, lang })
    yield
  }
  return questions
}

function* prepareInSteps(cards: readonly CardOfDeck[], deckId: number): Generator<undefined, Prepared[]> {
  const answers: Prepared[] = []
  for (const card of cards) {
    if (card.deck_id !== deckId) continue
    const answer = prepareAnswer(card)
    if (answer !== undefined) answers.push(answer)
    yield
  }
  return answers
}
