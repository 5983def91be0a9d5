import {
  type ConvertLimits,
  EMPTY,
  QuestionCollector,
  type RawQuestion,
  type ReadQuestions,
} from '../exchange/index.js'

const OPTION = /^([A-Z])[).]\s*(.*)$/
const ANSWER = /^(?:answers?|antwort(?:en)?)\s*:\s*(.*)$/i
/** Exact spelling of the format; in another spelling, the word may begin a line of the question. */
const PLAIN_ANSWER = /^ANSWER:/
const BETWEEN_LETTERS = /[\s,;/&+]+/
const LETTER = /^([A-Z])[).]?$/
const FEEDBACK = /^(?:feedback|rückmeldung)\s*:\s*(.*)$/i

interface Open {
  line: number
  question: string[]
  options: Map<string, string>
}

/** A question after its line `ANSWER: …`, which feedback may follow. */
interface Answered {
  /** Undefined if the question was refused; its feedback is then dropped. */
  raw: RawQuestion | undefined
  feedback: string[]
  /** Lines after the feedback: a blank line makes them a part of it, an option makes them the next question. */
  behind: { line: number; text: string }[]
}

/**
 * Reads questions in the Aiken format: a question, options such as `A) text` or `A. text`, and `ANSWER: A`. Blank lines
 * are ignored, except after feedback. All texts are plain text.
 * @example readAiken('2 + 2?\nA) 4\nB) 5\nANSWER: A', { maxLength: 1_000, maxQuestions: 10 }).questions.length // 1
 */
export function readAiken(source: string, limits: ConvertLimits): ReadQuestions {
  const reader = new AikenReader(limits)
  for (const [index, written] of source
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .entries()) {
    if (!reader.readLine(index + 1, written.trim())) break
  }
  return reader.finish()
}

class AikenReader {
  readonly #limits: ConvertLimits
  readonly #collector: QuestionCollector
  #open: Open | undefined
  #answered: Answered | undefined

  constructor(limits: ConvertLimits) {
    this.#limits = limits
    this.#collector = new QuestionCollector(limits)
  }

  /** Returns whether reading continues; it ends at the maximum number of questions. */
  readLine(line: number, text: string): boolean {
    if (text === '') {
      this.#endFeedback()
      return true
    }
    const [, feedback] = FEEDBACK.exec(text) ?? []
    if (feedback !== undefined && (this.#open === undefined || this.#open.options.size > 0)) {
      this.#readFeedback(line, feedback)
      return true
    }
    if (this.#answered !== undefined && this.#answered.feedback.length > 0 && !OPTION.test(text)) {
      this.#answered.behind.push({ line, text })
      return true
    }
    this.#collect()
    if (this.#collector.isFull) {
      this.#collector.refuse(line, text, `Die Datei hat mehr als ${this.#limits.maxQuestions} Fragen`)
      this.#open = undefined
      return false
    }
    this.#readQuestion(line, text)
    return true
  }

  finish(): ReadQuestions {
    this.#endFeedback()
    this.#collect()
    if (this.#open !== undefined) this.#refuse(this.#open, 'Die Zeile „ANSWER: …“ fehlt')
    return this.#collector.result
  }

  #readQuestion(line: number, text: string): void {
    const [, letter, option = ''] = OPTION.exec(text) ?? []
    const key = this.#keyOf(text)
    if (key !== undefined) {
      this.#answered = { raw: this.#answer(this.#open ?? startAt(line), key), feedback: [], behind: [] }
      this.#open = undefined
    } else if (letter !== undefined) {
      this.#open ??= startAt(line)
      if (this.#open.options.has(letter)) {
        this.#refuse(this.#open, `Die Antwort ${letter} steht zweimal da`, 'repeated letter')
        this.#open = startAt(line)
      }
      this.#open.options.set(letter, option)
    } else {
      if (this.#open !== undefined && this.#open.options.size > 0) {
        this.#refuse(this.#open, 'Nach den Antworten fehlt die Zeile „ANSWER: …“')
        this.#open = undefined
      }
      this.#open ??= startAt(line)
      this.#open.question.push(text)
    }
  }

  /** Returns the text after `ANSWER:`; undefined for another line. */
  #keyOf(text: string): string | undefined {
    const key = ANSWER.exec(text)?.[1]?.trim()
    if (key === undefined) return undefined
    const hasOptions = this.#open !== undefined && this.#open.options.size > 0
    return hasOptions || PLAIN_ANSWER.test(text) || lettersOf(key) !== undefined ? key : undefined
  }

  /** Feedback before the answer is refused, because it may belong to a single option. */
  #readFeedback(line: number, text: string): void {
    if (this.#open !== undefined) {
      this.#refuse(this.#open, 'Die Zeile „FEEDBACK: …“ steht vor der Zeile „ANSWER: …“ statt dahinter')
      this.#open = undefined
      this.#answered = { raw: undefined, feedback: [text], behind: [] }
    } else if (this.#answered === undefined) {
      this.#collector.refuse(line, text, 'Vor der Zeile „FEEDBACK: …“ fehlt die Frage')
    } else {
      this.#answered.feedback.push(...this.#answered.behind.map((behind) => behind.text), text)
      this.#answered.behind = []
    }
  }

  #endFeedback(): void {
    if (this.#answered === undefined) return
    this.#answered.feedback.push(...this.#answered.behind.map(({ text }) => text))
    this.#answered.behind = []
    if (this.#answered.feedback.length > 0) this.#collect()
  }

  /** Adds the answered question, and begins the next one with the lines behind its feedback. */
  #collect(): void {
    if (this.#answered === undefined) return
    const { raw, feedback, behind } = this.#answered
    this.#answered = undefined
    if (raw !== undefined) {
      this.#collector.add({ ...raw, explanation: { text: feedback.join('\n'), format: 'plain' } })
    }
    for (const { line, text } of behind) this.#readQuestion(line, text)
  }

  #refuse({ line, question, options }: Open, reason: string, kind?: string): void {
    this.#collector.refuse(line, question.join(' ') || [...options.values()].join(' '), reason, kind)
  }

  #answer(open: Open, key: string): RawQuestion | undefined {
    const { line, question, options } = open
    const letters = new Set(lettersOf(key) ?? [key])
    const unknown = [...letters].find((letter) => !options.has(letter))
    const fault = faultOf(open)
    if (fault !== undefined || unknown !== undefined) {
      if (fault !== undefined) this.#refuse(open, fault)
      else this.#refuse(open, `Die Antwort „${unknown?.slice(0, 20)}“ gibt es nicht`, 'unknown letter')
      return undefined
    }
    return {
      kind: 'choice',
      isSingle: letters.size === 1,
      line,
      name: question.join(' '),
      question: { text: question.join('\n'), format: 'plain' },
      explanation: EMPTY,
      id: null,
      category: null,
      tags: [],
      changes: [],
      answers: [...options].map(([letter, text]) => {
        return { text, format: 'plain', percent: letters.has(letter) ? 100 : 0, feedback: EMPTY }
      }),
    }
  }
}

function startAt(line: number): Open {
  return { line, question: [], options: new Map() }
}

/**
 * Returns the letters of right options; undefined if the text contains anything else.
 * @example lettersOf('a und C)') // ['A', 'C']
 */
function lettersOf(key: string): string[] | undefined {
  const words = key.toUpperCase().split(BETWEEN_LETTERS)
  const letters = words.filter((word) => word !== 'UND' && word !== 'AND').map((word) => LETTER.exec(word)?.[1])
  return letters.length > 0 && letters.every((letter) => letter !== undefined) ? letters : undefined
}

function faultOf({ question, options }: Open): string | undefined {
  if (question.length === 0) return 'Vor den Antworten fehlt die Frage'
  return options.size < 2 ? 'Es gibt weniger als zwei Antworten' : undefined
}
