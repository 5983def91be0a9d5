import type { FrozenForm } from '../questions/frozen.js'
import type { ShownId } from './attempt.js'
import type { TestSection } from './definition.js'

/** Returns a uniformly distributed random integer from 0 to `below` - 1. */
export type RandomIndex = (below: number) => number

export interface Drawable {
  id: number
  /** Index of the section */
  section: number
}

/**
 * Draws the questions of an attempt. In each section, every set of `draw` questions is equally likely.
 * @param questions in the order of the version
 * @returns the questions in random order, or in the order of the version if `shuffle` is false
 */
export function drawQuestions<T extends Drawable>(
  { sections, shuffle }: { sections: readonly Pick<TestSection, 'draw'>[]; shuffle: boolean },
  questions: readonly T[],
  randomIndex: RandomIndex,
): T[] {
  const chosen = new Set(
    sections.flatMap(({ draw }, index) => {
      const offered = questions.filter(({ section }) => section === index)
      return shuffled(offered, randomIndex).slice(0, draw ?? offered.length)
    }),
  )
  return shuffle ? shuffled([...chosen], randomIndex) : questions.filter((question) => chosen.has(question))
}

/** @param offered number of questions by index of the section */
export function countDrawn(
  sections: readonly Pick<TestSection, 'draw'>[],
  offered: ReadonlyMap<number, number>,
): number {
  return sections.reduce((sum, { draw }, index) => {
    const all = offered.get(index) ?? 0
    return sum + Math.min(draw ?? all, all)
  }, 0)
}

/**
 * Assigns random ids to the options, items or gaps of a question, and a random order to options and items, even if the
 * test does not shuffle its questions: the stored order may reveal the answer.
 * @param newId returns an id that is unique within the question
 */
export function drawPlaces(question: FrozenForm, newId: () => string, randomIndex: RandomIndex): ShownId[] {
  const place = ({ id }: { id: string }) => ({ id: newId(), of: id })
  switch (question.form) {
    case 'single':
    case 'multiple':
      return shuffled(question.options, randomIndex).map(place)
    case 'order':
      return shuffled(question.items, randomIndex).map(place)
    case 'gaps':
      return question.gaps.map(place)
    case 'text':
    case 'number':
      return []
  }
}

function shuffled<T>(items: readonly T[], randomIndex: RandomIndex): T[] {
  const result = [...items]
  for (let end = result.length - 1; end > 0; end--) {
    const other = randomIndex(end + 1)
    const moved = result[end] as T
    result[end] = result[other] as T
    result[other] = moved
  }
  return result
}
