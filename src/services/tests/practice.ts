import type { Kysely } from 'kysely'
import { type DrawnCard, drawCards } from '../../../db/queries/quiz/draw.js'
import { listPracticeCards, type PracticeCard } from '../../../db/queries/tests/practice.js'
import type { Database } from '../../../db/types.js'
import { prepareCandidates, rankDistractors } from '../../domain/quiz/distractors.js'
import { buildQuestion, MAX_WRONG_OPTIONS, type QuizQuestion } from '../../domain/quiz/quiz.js'

/** Minimum number of wrong options; a question with fewer wrong options also gets answers of all decks */
const MIN_WRONG_OPTIONS = 2

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
  const byDeck = new Map<number, PracticeCard[]>()
  for (const card of cards) {
    const own = byDeck.get(card.deck_id)
    if (own === undefined) byDeck.set(card.deck_id, [card])
    else own.push(card)
  }
  const prepared = new Map([...byDeck].map(([deck, own]) => [deck, prepareCandidates(own)]))
  return drawn.map((card) => {
    const known = cards.find(({ card_id }) => card_id === card.card_id)
    return known === undefined
      ? buildQuestion(card, card.others)
      : build(card, known, prepared.get(known.deck_id) ?? [])
  })
}

function build(card: DrawnCard, known: PracticeCard, candidates: ReturnType<typeof prepareCandidates>): QuizQuestion {
  const options = known.exercise?.form === 'choice' ? known.exercise.options : []
  const key = options.find(({ correct }) => correct)?.text ?? known.answer
  const authored = options.filter(({ correct }) => !correct).map(({ text }) => text)
  const wrong = authored.slice(0, MAX_WRONG_OPTIONS)
  if (wrong.length < MAX_WRONG_OPTIONS) {
    const ranked = rankDistractors(known, key, candidates, MAX_WRONG_OPTIONS)
    wrong.push(...ranked.filter((text) => !wrong.includes(text)).slice(0, MAX_WRONG_OPTIONS - wrong.length))
  }
  if (wrong.length < MIN_WRONG_OPTIONS) {
    const others = card.others.filter((text) => text !== key && !wrong.includes(text))
    wrong.push(...others.slice(0, MAX_WRONG_OPTIONS - wrong.length))
  }
  return { ...buildQuestion({ ...card, answer: key }, wrong), full_answer: known.answer }
}
