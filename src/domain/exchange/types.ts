/** How a text of another program is written; `auto` is HTML as well, whose line ends may matter. */
export type TextFormat = 'html' | 'markdown' | 'plain' | 'auto'

/** A file of a text, which refers to it as `@@PLUGINFILE@@/name`. */
export interface EmbeddedFile {
  /** Path, in NFC */
  name: string
  base64: string
}

export interface RawText {
  text: string
  format: TextFormat
  files?: readonly EmbeddedFile[]
}

/** A stored picture, or its problem as the end of a German sentence. */
export type KeptPicture = { target: string } | { problem: string }

/** Stores a picture if it can be shown. */
export type KeepPicture = (bytes: Uint8Array) => KeptPicture

export const EMPTY: RawText = { text: '', format: 'plain' }

/** An answer with the share of the points that it gives, from -100 to 100. */
export interface RawAnswer extends RawText {
  percent: number
  feedback: RawText
  /** Only of numbers: greatest difference that counts as right */
  tolerance?: string
}

/** Texts of a gap in the order of the file; with wrong ones, learners choose. */
export type RawGap = { text: string; isRight: boolean }[]

/** What all kinds of questions have. */
export interface RawCommon {
  /** From 1 */
  line: number
  name: string
  question: RawText
  /** Shown after answering */
  explanation: RawText
  id: string | null
  /** Path such as `Netze/Ports` */
  category: string | null
  tags: string[]
  /** What was dropped before, as German sentences */
  changes: string[]
  /** Written by this service: the explanation is the answer of the card, which contains so many of the answers. */
  own?: { answers: number }
}

/** A question as another program means it. */
export type RawQuestion = RawCommon &
  (
    | { kind: 'choice'; isSingle: boolean; answers: RawAnswer[] }
    | { kind: 'text'; answers: RawAnswer[] }
    | { kind: 'number'; unit: string | null; answers: RawAnswer[] }
    | { kind: 'order'; items: RawText[] }
    /** Numbered marks of `markGap` in the question stand for the gaps. */
    | { kind: 'gaps'; gaps: RawGap[] }
    | { kind: 'pairs'; pairs: { left: RawText; right: string }[] }
    | { kind: 'plain' }
  )

/** An option, or an accepted answer of a text or number. */
export interface ReadOption {
  /** Markdown */
  text: string
  correct: boolean
  feedback: string | null
}

/** A question as a card with an exercise; null makes a plain flashcard. */
export interface ReadQuestion {
  line: number
  id: string | null
  category: string | null
  tags: string[]
  /** Markdown */
  question: string
  answer: string
  exercise: {
    form: 'choice' | 'text' | 'number' | 'order' | 'gaps'
    options: ReadOption[]
    tolerance: number | null
    unit: string | null
  } | null
  /** What differs from the file, as German sentences; empty if nothing does */
  changes: string[]
}

/** A question that cannot be asked here; `reason` is a German sentence without a full stop. */
export interface RefusedQuestion {
  line: number
  name: string
  reason: string
}

export interface ReadQuestions {
  questions: ReadQuestion[]
  refused: RefusedQuestion[]
}

/** Refuses the current question. */
export class NotAskable extends Error {}
