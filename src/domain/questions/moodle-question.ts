import type { ExportQuestion } from '../moodle/index.js'
import { type Exercise, GAP, textsOfGap } from './exercise.js'
import { type FrozenForm, freezeQuestion } from './frozen.js'

interface ExportCard {
  key: string
  level: string
  question: string
  answer: string
  exercise: Exercise | null
}

/** Converts a card to a question for Moodle; the level of the card becomes a tag. */
export function toMoodleQuestion({ key, level, question, answer, exercise }: ExportCard): ExportQuestion {
  const common = { id: key, tags: level === '' ? [] : [level], question, answer }
  const none = { answers: [], hasOwnAnswer: false, items: [], gaps: [], tolerance: null, unit: null }
  if (exercise === null) return { ...common, ...none, form: 'plain' }
  const frozen = freezeQuestion({ question, answer, exercise }, () => '')
  return {
    ...common,
    ...none,
    form: exercise.form,
    answers: answersOf(frozen),
    hasOwnAnswer: hasOwnAnswer(frozen, exercise),
    items: frozen.form === 'order' ? frozen.items.map(({ text }) => text) : [],
    gaps: frozen.form === 'gaps' ? [...answer.matchAll(GAP)].map(([, inside = '']) => textsOfGap(inside)) : [],
    tolerance: exercise.tolerance,
    unit: exercise.unit,
  }
}

function answersOf(frozen: FrozenForm): ExportQuestion['answers'] {
  switch (frozen.form) {
    case 'single':
    case 'multiple':
      return frozen.options
    case 'text':
      return frozen.accepted.map((text) => accept(text))
    case 'number':
      return frozen.accepted.map((value) => accept(String(value)))
    default:
      return []
  }
}

function accept(text: string): ExportQuestion['answers'][number] {
  return { text, correct: true, feedback: null }
}

/** Returns whether the exported answers include the card's answer, which is then the only one that is not an option. */
function hasOwnAnswer(frozen: FrozenForm, { options }: Exercise): boolean {
  return answersOf(frozen).length > options.length
}
