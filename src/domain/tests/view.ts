import type { FrozenForm, FrozenGap, FrozenQuestion } from '../questions/frozen.js'
import type { Answer } from '../questions/judge.js'
import type { ShownId } from './attempt.js'

/** A question as learners see it before the review, without its right answers. */
export interface ShownQuestion {
  form: FrozenForm['form']
  /** Markdown */
  question: string
  options?: { id: string; text: string }[]
  items?: { id: string; text: string }[]
  gaps?: { id: string; choices?: string[] }[]
  /** Markdown where `{{id}}` stands for a gap */
  text?: string
  /** Unit of a number, such as `MB`; null without a unit */
  unit?: string | null
}

/** Selects the fields that may be shown during an attempt. */
export function showQuestion(frozen: FrozenQuestion, places: readonly ShownId[]): ShownQuestion {
  const { form, question } = frozen
  const shown = { form, question }
  switch (frozen.form) {
    case 'single':
    case 'multiple':
      return { ...shown, options: inOrder(frozen.options, places) }
    case 'text':
      return shown
    case 'number':
      return { ...shown, unit: frozen.unit }
    case 'order':
      return { ...shown, items: inOrder(frozen.items, places) }
    case 'gaps':
      return { ...shown, gaps: gapsWith(frozen.gaps, places), text: textWith(frozen.text, places) }
  }
}

function inOrder(parts: readonly { id: string; text: string }[], places: readonly ShownId[]) {
  return places.map(({ id, of }) => ({ id, text: parts.find((part) => part.id === of)?.text ?? '' }))
}

function gapsWith(gaps: readonly FrozenGap[], places: readonly ShownId[]) {
  return places.map(({ id, of }) => {
    const choices = gaps.find((gap) => gap.id === of)?.choices
    return choices === undefined ? { id } : { id, choices }
  })
}

/** Returns the Markdown of a text with the ids of the attempt in its gaps. */
function textWith(text: string, places: readonly ShownId[]): string {
  const ids = new Map(places.map(({ id, of }) => [of, id]))
  return text.replaceAll(/\{\{([^{}]*)\}\}/g, (whole, of: string) => {
    const id = ids.get(of)
    return id === undefined ? whole : `{{${id}}}`
  })
}

/** Returns the answer with the ids of the published question. */
export function withoutPlaces(answer: Answer, places: readonly ShownId[]): Answer {
  const ids = new Map(places.map(({ id, of }) => [id, of]))
  const rename = (id: string) => ids.get(id) ?? id
  if ('option_ids' in answer) return { option_ids: answer.option_ids.map(rename) }
  if ('item_ids' in answer) return { item_ids: answer.item_ids.map(rename) }
  if ('gaps' in answer) {
    return { gaps: Object.fromEntries(Object.entries(answer.gaps).map(([id, text]) => [rename(id), text])) }
  }
  return answer
}

/** Returns the question with the ids of the attempt, to judge its answer. The parts keep the order of the version. */
export function withPlaces<T extends FrozenForm>(frozen: T, places: readonly ShownId[]): T {
  const ids = new Map(places.map(({ id, of }) => [of, id]))
  const rename = <P extends { id: string }>(part: P): P => ({ ...part, id: ids.get(part.id) ?? part.id })
  switch (frozen.form) {
    case 'single':
    case 'multiple':
      return { ...frozen, options: frozen.options.map(rename) }
    case 'order':
      return { ...frozen, items: frozen.items.map(rename) }
    case 'gaps':
      return { ...frozen, text: textWith(frozen.text, places), gaps: frozen.gaps.map(rename) }
    case 'text':
    case 'number':
      return frozen
  }
}
