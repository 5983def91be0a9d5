import type { Rating } from '../words/ratings.js'

export type Command =
  | Rating
  | 'reveal'
  | 'undo'
  | 'suspend'
  | 'tomorrow'
  | 'note'
  | 'speak'
  | 'type'
  | 'info'
  | 'report'
  | 'edit'
  | 'leave'

export interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  repeat: boolean
}

/** Kind of the focused element: a field takes text, a control handles Space and Enter itself */
export type Focus = 'page' | 'control' | 'field'

export interface KeyContext {
  view: 'question' | 'answer' | 'end'
  focus: Focus
  /** Whether single-key shortcuts are on (WCAG 2.1.4); Space, Enter, Escape and Ctrl+Z do not depend on it */
  singleKeys: boolean
  /** Whether the learner types answers; until the answer is shown, letters are then no shortcuts, except T */
  isTyping: boolean
}

const DIGITS: Record<string, Rating> = { '1': 'again', '2': 'hard', '3': 'medium', '4': 'easy' }
const LETTERS: Record<string, Command> = {
  u: 'undo',
  a: 'suspend',
  b: 'tomorrow',
  n: 'note',
  v: 'speak',
  t: 'type',
  i: 'info',
  m: 'report',
  e: 'edit',
}

/**
 * Returns the command of a key; `ignored` if the session uses the key but the key has no effect now; undefined if the
 * session does not use the key.
 */
export function commandOf(press: KeyPress, context: KeyContext): Command | 'ignored' | undefined {
  const command = findCommand(press, context)
  return command !== undefined && press.repeat ? 'ignored' : command
}

function findCommand(
  press: KeyPress,
  { view, focus, singleKeys, isTyping }: KeyContext,
): Command | 'ignored' | undefined {
  if (focus === 'field' || press.altKey) return undefined
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key
  if (press.ctrlKey || press.metaKey) return key === 'z' ? 'undo' : undefined
  if (key === ' ' || key === 'Enter') {
    // The browser activates the focused control; ignoring repeats prevents further activations while the key is held.
    if (focus === 'control') return press.repeat ? 'ignored' : undefined
    return { question: 'reveal', answer: 'medium', end: 'leave' }[view] as Command
  }
  if (key === 'Escape') return view === 'end' ? 'leave' : undefined
  if (!singleKeys) return undefined
  if (view === 'end') {
    if (key === 'u') return 'undo'
    return key.length === 1 && key !== '?' && key !== '/' ? 'leave' : undefined
  }
  if (key in DIGITS) return view === 'answer' ? DIGITS[key] : 'ignored'
  return isTyping && view === 'question' && key !== 't' ? undefined : LETTERS[key]
}
