import { isDeepStrictEqual } from 'node:util'
import type { ReadQuestions } from '../../src/domain/exchange/index.js'
import { type Exercise, parseExercise } from '../../src/domain/questions/exercise.js'
import { freezeQuestion } from '../../src/domain/questions/frozen.js'
import { judge, rightAnswer } from '../../src/domain/questions/judge.js'

export const LIMITS = { maxLength: 65_536, maxQuestions: 1_000 }

/**
 * Returns the faults of parsed questions: empty texts, faults of their exercises, exercises that the parser of
 * exercises would change, and right answers that do not get the full score.
 */
export function findFaults({ questions }: ReadQuestions): string[] {
  const faults: string[] = []
  for (const { line, question, answer, exercise: read } of questions) {
    const report = (message: string) => faults.push(`${line}: ${message}`)
    if (question.trim() === '' || answer.trim() === '') report('empty')
    if (read === null) continue
    const exercise = parseExercise(read, answer, report)
    if (exercise === null) report('no exercise')
    else if (!isDeepStrictEqual(exercise, read)) report('is not tidy')
    else if (!isRightAnswerRight(question, answer, exercise)) report('the right answer does not score')
  }
  return faults
}

function isRightAnswerRight(question: string, answer: string, exercise: Exercise): boolean {
  let next = 0
  const frozen = freezeQuestion({ question, answer, exercise }, () => `${next++}`)
  const { part, of } = judge(frozen, rightAnswer(frozen), 'partial')
  return part === of
}
