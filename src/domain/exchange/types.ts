/** Format of a text of another program; `auto` is HTML whose line ends may mean line breaks */
export type TextFormat = 'html' | 'markdown' | 'plain' | 'auto'

/** An embedded file that the text refers to as `@@PLUGINFILE@@/name`. */
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

/** Stores a picture if its format and size are supported; otherwise returns the problem. */
export type KeepPicture = (bytes: Uint8Array) => KeptPicture

export const EMPTY: RawText = { text: '', format: 'plain' }

/** An answer with the share of points that it gives, from -100 to 100 percent. */
export interface RawAnswer extends RawText {
  percent: number
  feedback: RawText
  /** Maximum accepted difference as a decimal string; for numbers only */
  tolerance?: string
}

/** Answers of a gap in the order of the file. If some are wrong, learners choose one; otherwise they type. */
export type RawGap = { text: string; isRight: boolean }[]

/** Fields that all kinds of questions have. */
export interface RawCommon {
  /** Line of the question in the file, from 1 */
  line: number
  name: string
  question: RawText
  /** Shown after answering */
  explanation: RawText
  id: string | null
  /** Path such as `Netze/Ports` */
  category: string | null
  tags: string[]
  /** Changes that reading the file has already made, as German sentences */
  changes: string[]
  /**
   * Set if this service exported the question; the explanation is then the answer of the card. `answers` is 1 if the
   * first answer repeats the answer of the card, otherwise 0.
   */
  own?: { answers: number }
}

/** A question of another program before its conversion to a card. */
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

/** An option of a choice question, or an accepted answer of a text or number question. */
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
  /** Differences from the file, as German sentences */
  changes: string[]
}

/** A question that this service does not support; `reason` is a German sentence without a full stop. */
export interface RefusedQuestion {
  line: number
  name: string
  reason: string
}

export interface ReadQuestions {
  questions: ReadQuestion[]
  refused: RefusedQuestion[]
}

/** Thrown to refuse a question; the message is a German sentence without a full stop. */
export class UnsupportedQuestion extends Error {}
