import type { Rating } from '../words/ratings.js'

export type Command = Rating | 'reveal' | 'undo' | 'suspend' | 'info' | 'report' | 'leave'

/** What of a pressed key matters. */
export interface Press {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  /** Held down since an earlier press. */
  repeat: boolean
}

/** Where the focus is: a field takes text, a control is worked by Space and Enter itself. */
export type Focus = 'page' | 'control' | 'field'

export interface KeySituation {
  view: 'question' | 'answer' | 'end'
  focus: Focus
  /** Letters and digits can be switched off (WCAG 2.1.4); Space, Enter and Ctrl+Z stay. */
  singleKeys: boolean
}

const DIGITS: Record<string, Rating> = { '1': 'again', '2': 'hard', '3': 'medium', '4': 'easy' }
const LETTERS: Record<string, Command> = { u: 'undo', a: 'suspend', i: 'info', m: 'report' }

/** What a key does; `ignored`: it belongs to the session but does nothing now; undefined: it is somebody else's. */
export function commandOf(press: Press, situation: KeySituation): Command | 'ignored' | undefined {
  const command = meaningOf(press, situation)
  return command !== undefined && press.repeat ? 'ignored' : command
}

function meaningOf(press: Press, { view, focus, singleKeys }: KeySituation): Command | 'ignored' | undefined {
  if (focus === 'field' || press.altKey) return undefined
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key
  if (press.ctrlKey || press.metaKey) return key === 'z' ? 'undo' : undefined
  if (key === ' ' || key === 'Enter') {
    // A control that has the focus is pressed by the browser; held down, once.
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
  return LETTERS[key]
}
