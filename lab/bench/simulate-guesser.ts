import { fileURLToPath } from 'node:url'
import { showGaps } from '../../dist/src/domain/questions/exercise.js'
import { buildPracticeQuestion, prepareAnswer } from '../../dist/src/domain/quiz/practice.js'
import { toPlainText } from '../../dist/src/domain/search/plain-text.js'
import { readContent } from '../../dist/src/services/content/folder/read.js'

/** A guesser may be right in at most this multiple of the share by chance. */
const TARGET = 1.2

const wordsOf = (text: string) =>
  new Set(
    toPlainText(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{4,}/gu) ?? [],
  )

function sharedWords(option: string, question: string): number {
  const asked = wordsOf(question)
  return [...wordsOf(option)].filter((word) => asked.has(word)).length
}

/** Returns the chance that a guesser is right who chooses at random among the options with the highest score. */
function chanceOf(scores: readonly number[], right: number): number {
  const best = Math.max(...scores)
  return scores[right] === best ? 1 / scores.filter((score) => score === best).length : 0
}

interface Sums {
  questions: number
  chance: number
  longest: number
  shared: number
}

const { content } = await readContent(fileURLToPath(new URL('../../content', import.meta.url)))
const sums: { name: string; sums: Sums }[] = content.decks
  .filter(({ tests_only }) => !tests_only)
  .map(({ name, cards }) => ({ name, sums: guessAll(name, cards) }))

type Card = (typeof content.decks)[number]['cards'][number]

/** Guesses a question of each card of a deck. */
function guessAll(name: string, cards: readonly Card[]): Sums {
  const all = cards.map(({ question, answer, level, exercise }, card_id) => {
    return { card_id, question, answer: showGaps(answer, exercise?.form), level, exercise }
  })
  const answers = all.flatMap((card) => prepareAnswer(card) ?? [])
  const sums: Sums = { questions: 0, chance: 0, longest: 0, shared: 0 }
  for (const card of all) {
    const question = buildPracticeQuestion(card, name, answers, () => 0)
    if (question === undefined) continue
    const { options, correct_index } = question
    const lengths = options.map((option) => toPlainText(option).length)
    const words = options.map((option) => sharedWords(option, card.question))
    sums.questions++
    sums.chance += 1 / options.length
    sums.longest += chanceOf(lengths, correct_index)
    sums.shared += chanceOf(words, correct_index)
  }
  return sums
}

const total = sums.reduce<Sums>(
  (all, { sums: one }) => ({
    questions: all.questions + one.questions,
    chance: all.chance + one.chance,
    longest: all.longest + one.longest,
    shared: all.shared + one.shared,
  }),
  { questions: 0, chance: 0, longest: 0, shared: 0 },
)
const percent = (sum: number, { questions }: Sums) => `${((100 * sum) / questions).toFixed(1)} %`
const ratioOf = (sum: number, { chance }: Sums) => sum / chance
const rows = [...sums, { name: 'all', sums: total }]
const lines = rows.map(({ name, sums: one }) => {
  const guessers = [one.longest, one.shared].map((sum) => `${percent(sum, one)} | ${ratioOf(sum, one).toFixed(2)} ×`)
  return `| ${[name, one.questions, percent(one.chance, one), ...guessers].join(' | ')} |`
})
process.stdout.write(`Guessers at the practice questions of the included decks, limit ${TARGET} × chance

| deck | questions | chance | longest option | against chance | words of the question | against chance |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`)
const isMet = rows.every(({ sums: one }) => ratioOf(Math.max(one.longest, one.shared), one) <= TARGET)
process.exitCode = isMet ? 0 : 1
