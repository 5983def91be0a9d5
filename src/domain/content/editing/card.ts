import { type Exercise, type ExerciseInput, parseExercise } from '../../questions/exercise.js'
import { InvalidInput } from '../../refusal.js'
import { toNfc } from '../../text/nfc.js'
import { CARD_TEXTS, type CardText, type CardTexts, EMPTY_TEXTS, eachText, TEXT_RULES } from '../card-texts.js'
import { slugFrom } from '../format/slug.js'
import { parseLabel, parseMarkdown } from './texts.js'

/** Texts and exercise in a request. Absent texts stay unchanged. */
export type CardTextsInput = ExerciseInput & Partial<Record<CardText, string | undefined>>

/**
 * Returns the texts of a card after a change: changed texts in NFC, with `\n` line ends, and trimmed.
 * @throws InvalidInput if a required text is empty, a text is too long or not storable, a label contains control
 *   characters, or the exercise is invalid
 * @example changeTexts({ question: 'F', answer: ' A\r\n' }).answer // 'A'
 */
export function changeTexts(input: CardTextsInput, before: CardTexts = EMPTY_TEXTS): CardTexts {
  const isNew = before === EMPTY_TEXTS
  const texts = eachText((name) =>
    isNew || input[name] !== undefined ? parseCardText(name, input[name] ?? '') : before[name],
  )
  if (!changesExercise(input, texts, before)) return { ...texts, exercise: before.exercise }
  return { ...texts, exercise: readExercise(mergeExercise(input, before.exercise), texts.answer) }
}

function parseCardText(name: CardText, input: string): string {
  const { isMarkdown, isOptional, maxLength } = TEXT_RULES[name]
  if (isOptional && input.trim() === '') return ''
  return isMarkdown ? parseMarkdown(name, input, maxLength) : parseLabel(name, input, maxLength)
}

/** Returns whether a request contains texts or an exercise; such a request must specify the version to change. */
export function containsTexts(input: CardTextsInput): boolean {
  return CARD_TEXTS.some((name) => input[name] !== undefined) || holdsExercise(input)
}

function holdsExercise({ form, options, tolerance, unit }: ExerciseInput): boolean {
  return [form, options, tolerance, unit].some((value) => value !== undefined)
}

/** Returns whether to parse the exercise again: an exercise refers to the answer, so a new answer may invalidate it. */
function changesExercise(input: CardTextsInput, { answer }: { answer: string }, before: CardTexts): boolean {
  return holdsExercise(input) || (before.exercise !== null && answer !== before.answer)
}

function mergeExercise(input: ExerciseInput, before: Exercise | null): ExerciseInput {
  // `form: null` without other fields removes the exercise.
  const known = input.form === null ? undefined : before
  const { options = known?.options, tolerance = known?.tolerance, unit = known?.unit } = input
  // Ignores the stored form `choice`: options imply this form, and without options the card becomes a plain card.
  const kept = before?.form === 'choice' ? undefined : before?.form
  const form = input.form === undefined ? kept : input.form
  if (form === 'number') return { form, options, tolerance, unit }
  // Only the form `number` has a tolerance and a unit. Other forms drop the stored values, and `parseExercise` reports
  // values in the request as faults.
  return { form, options, tolerance: input.tolerance, unit: input.unit }
}

/**
 * Returns the normalised exercise; null for a plain card.
 * @throws InvalidInput with the first fault if the exercise is invalid
 */
export function readExercise(input: ExerciseInput, answer: string): Exercise | null {
  const faults: string[] = []
  const exercise = parseExercise(
    {
      ...input,
      options: input.options?.map(({ text, correct, feedback }) => ({
        text: toNfc(text),
        correct,
        feedback: feedback && toNfc(feedback),
      })),
      unit: input.unit && toNfc(input.unit),
    },
    answer,
    (message, option) => faults.push(option === undefined ? message : `Antwort ${option + 1}: ${message}`),
  )
  const [fault] = faults
  if (fault !== undefined) throw new InvalidInput(fault)
  return exercise
}

const KEY_LENGTH = 48

/**
 * Returns a key for a new card, `[a-z0-9-]{1,48}`, from the first line of its question. Omits words with letters that
 * `slugFrom` does not convert to ASCII; returns an empty string if no word is left.
 * @example keyFrom('Was macht `git stash`?') // 'was-macht-git-stash'
 */
export function keyFrom(question: string): string {
  const [line = ''] = question.slice(0, 4 * KEY_LENGTH).split('\n', 1)
  const words = slugFrom(line).split('-')
  const whole = words.filter((word) => /^[a-z0-9]+$/.test(word)).join('-')
  if (whole.length <= KEY_LENGTH) return whole
  return whole
    .slice(0, KEY_LENGTH + 1)
    .replace(/-[^-]*$/, '')
    .slice(0, KEY_LENGTH)
}
