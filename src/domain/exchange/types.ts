/** Format of a text of another program; `auto` is the default format of Moodle, which is read as HTML */
export type TextFormat = 'html' | 'markdown' | 'plain' | 'auto'

/** A file that is embedded in a question. The text refers to it as `@@PLUGINFILE@@/name`. */
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

/** The address of a stored picture, or the reason why it was not stored, as the end of a German sentence. */
export type KeptPicture = { target: string } | { problem: string }

export type KeepPicture = (bytes: Uint8Array) => KeptPicture

export const EMPTY: RawText = { text: '', format: 'plain' }

/** An answer with the share of points that it gives, in percent; a wrong answer may have a negative share. */
export interface RawAnswer extends RawText {
  percent: number
  feedback: RawText
  /** Maximum accepted difference as a decimal string; for numbers only */
  tolerance?: string
}

/** Answers of a gap in the order of the file. If some are wrong, learners choose one; otherwise they type. */
export type RawGap = { text: string; isRight: boolean }[]

export interface RawCommon {
  /** Line of the file, from 1 */
  line: number
  name: string
  question: RawText
  /** Text shown after answering */
  explanation: RawText
  id: string | null
  /** Path such as `Netze/Ports` */
  category: string | null
  tags: string[]
  /** Changes made while the file was read, as German sentences */
  changes: string[]
  /**
   * Set if this service exported the question. The explanation then holds the answer of the card; for `gaps`, the
   * question text holds it. `answers` is 1 if the first answer repeats the answer of the card, otherwise 0.
   */
  own?: { answers: number }
}

export type RawQuestion = RawCommon &
  (
    | { kind: 'choice'; isSingle: boolean; answers: RawAnswer[] }
    | { kind: 'text'; answers: RawAnswer[] }
    | { kind: 'number'; unit: string | null; answers: RawAnswer[] }
    | { kind: 'order'; items: RawText[] }
    /** The question contains the marks of `markGap` at the places of the gaps. */
    | { kind: 'gaps'; gaps: RawGap[] }
    | { kind: 'pairs'; pairs: { left: RawText; right: string }[] }
    | { kind: 'plain' }
  )

export interface ReadOption {
  /** Markdown */
  text: string
  correct: boolean
  feedback: string | null
}

/** A question converted to a card; `exercise` is null for a plain flashcard. */
export interface ReadQuestion {
  line: number
  id: string | null
  category: string | null
  tags: string[]
  /** Markdown, like `answer` */
  question: string
  answer: string
  exercise: {
    form: 'choice' | 'text' | 'number' | 'order' | 'gaps'
    options: ReadOption[]
    tolerance: number | null
    unit: string | null
  } | null
  /** Differences from the question in the file, as German sentences */
  changes: string[]
  /** Files that are missing or not kept, each as a German sentence */
  files: string[]
}

/** A question that is malformed or not supported; `reason` is a German sentence without a full stop. */
export interface RefusedQuestion {
  line: number
  name: string
  reason: string
  /** Is the same for reasons that differ only in names and numbers */
  kind: string
}

export interface ReadQuestions {
  questions: ReadQuestion[]
  refused: RefusedQuestion[]
}

/** Thrown to refuse a question; the message is a German sentence without a full stop. */
export class UnsupportedQuestion extends Error {
  readonly kind: string

  /** @param kind as `kind` of a refused question; default: the message */
  constructor(message: string, kind = message) {
    super(message)
    this.kind = kind
  }
}
