import type { Kysely } from 'kysely'
import { type DrawnCard, drawCards } from '../../../db/queries/quiz/draw.js'
import { listPracticeCards, type PracticeCard } from '../../../db/queries/tests/practice.js'
import type { Database } from '../../../db/types.js'
import { type Prepared, prepareCandidate, rankDistractors } from '../../domain/quiz/distractors.js'
import { buildQuestion, MAX_WRONG_OPTIONS, type QuizQuestion } from '../../domain/quiz/quiz.js'
import { runInTurns } from '../content/turns.js'

/** Minimum number of wrong options; a question with fewer wrong options also gets answers of all decks */
const MIN_WRONG_OPTIONS = 2
/** Short, because other requests wait for several turns */
const TURN_MS = 1

/**
 * Returns practice questions of a deck, or of all decks. Wrong options are those of the author, then answers of the
 * same deck. If there are fewer than two, adds the wrong options of `/api/quiz/generate`. Excludes pools.
 * @param slug slug of the deck; undefined for all decks
 * @param count maximum number of questions
 */
export async function drawPractice(
  db: Kysely<Database>,
  slug: string | undefined,
  count: number,
): Promise<QuizQuestion[]> {
  const drawn = await drawCards(db, slug, count)
  const cards = await listPracticeCards(
    db,
    drawn.map(({ card_id }) => card_id),
  )
  return runInTurns(buildInSteps(drawn, cards), undefined, TURN_MS)
}

/** Builds the questions. Yields after each candidate and each question. */
function* buildInSteps(
  drawn: readonly DrawnCard[],
  cards: readonly PracticeCard[],
): Generator<undefined, QuizQuestion[]> {
  const known = new Map(cards.map((card) => [card.card_id, card]))
  const prepared = new Map<number, Prepared[]>()
  const questions: QuizQuestion[] = []
  for (const card of drawn) {
    const own = known.get(card.card_id)
    if (own === undefined) {
      questions.push(buildQuestion(card, card.others))
      continue
    }
    const wrong = wrongOptionsOf(own)
    if (wrong.length < MAX_WRONG_OPTIONS) {
      const candidates = prepared.get(own.deck_id) ?? (yield* prepareInSteps(cards, own.deck_id))
      prepared.set(own.deck_id, candidates)
      wrong.push(...rank(own, wrong, candidates))
    }
    questions.push(build(card, own, wrong))
    yield
  }
  return questions
}

function* prepareInSteps(cards: readonly PracticeCard[], deckId: number): Generator<undefined, Prepared[]> {
  const candidates: Prepared[] = []
  for (const card of cards) {
    if (card.deck_id !== deckId) continue
    candidates.push(prepareCandidate(card))
    yield
  }
  return candidates
}

function optionsOf({ exercise }: PracticeCard) {
  return exercise?.form === 'choice' ? exercise.options : []
}

function keyOf(card: PracticeCard): string {
  return optionsOf(card).find(({ correct }) => correct)?.text ?? card.answer
}

/** Returns the wrong options of the author. */
function wrongOptionsOf(card: PracticeCard): string[] {
  return optionsOf(card)
    .filter(({ correct }) => !correct)
    .map(({ text }) => text)
    .slice(0, MAX_WRONG_OPTIONS)
}

function rank(card: PracticeCard, wrong: readonly string[], candidates: readonly Prepared[]): string[] {
  const ranked = rankDistractors(card, keyOf(card), candidates, MAX_WRONG_OPTIONS)
  return ranked.filter((text) => !wrong.includes(text)).slice(0, MAX_WRONG_OPTIONS - wrong.length)
}

function build(card: DrawnCard, own: PracticeCard, given: readonly string[]): QuizQuestion {
  const key = keyOf(own)
  const wrong = [...given]
  if (wrong.length < MIN_WRONG_OPTIONS) {
    const others = card.others.filter((text) => text !== key && !wrong.includes(text))
    wrong.push(...others.slice(0, MAX_WRONG_OPTIONS - wrong.length))
  }
  return { ...buildQuestion({ ...card, answer: key }, wrong), full_answer: own.answer }
}
