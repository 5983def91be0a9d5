import {
  convertChoice,
  convertEssay,
  convertGaps,
  convertNumber,
  convertOrder,
  convertPairs,
  convertTextQuestion,
} from './forms.js'
import { Texts } from './texts.js'
import {
  type KeepPicture,
  type RawQuestion,
  type ReadQuestion,
  type ReadQuestions,
  UnsupportedQuestion,
} from './types.js'

export interface ConvertLimits {
  /** Maximum length of each text, such as an answer or a feedback, in UTF-16 code units */
  maxLength: number
  maxQuestions: number
}

const MAX_NAME_LENGTH = 60

/** Collects the questions of a file. Converts each question to a card, or refuses it. */
export class QuestionCollector {
  readonly result: ReadQuestions = { questions: [], refused: [] }
  readonly #limits: ConvertLimits
  readonly #keepPicture: KeepPicture | undefined

  /** @param keepPicture stores a picture; if absent, each embedded picture is dropped and reported as a change */
  constructor(limits: ConvertLimits, keepPicture?: KeepPicture) {
    this.#limits = limits
    this.#keepPicture = keepPicture
  }

  get isFull(): boolean {
    return this.result.questions.length + this.result.refused.length >= this.#limits.maxQuestions
  }

  add(raw: RawQuestion): void {
    this.attempt(raw.line, raw.name || raw.question.text, () => raw)
  }

  /** Adds the question that `read` returns, or refuses it if `read` or the conversion throws `UnsupportedQuestion`. */
  attempt(line: number, name: string, read: () => RawQuestion): void {
    try {
      this.result.questions.push(this.#convert(read()))
    } catch (error) {
      if (!(error instanceof UnsupportedQuestion)) throw error
      this.refuse(line, name, error.message, error.kind)
    }
  }

  refuse(line: number, name: string, reason: string, kind = reason): void {
    const plain = name.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    this.result.refused.push({ line, name: plain.trim().slice(0, MAX_NAME_LENGTH).toWellFormed(), reason, kind })
  }

  #convert(raw: RawQuestion): ReadQuestion {
    const texts = new Texts(this.#limits.maxLength, this.#keepPicture)
    const { line, id, category, tags } = raw
    const content = convertByKind(raw, texts)
    if (content.question === '') throw new UnsupportedQuestion('Die Frage ist leer')
    if (content.answer === '') throw new UnsupportedQuestion('Die Antwort ist leer')
    if (content.answer.length > this.#limits.maxLength) {
      throw new UnsupportedQuestion(`Die Antwort ist länger als ${this.#limits.maxLength} Zeichen`)
    }
    return {
      line,
      id,
      category,
      tags,
      ...content,
      changes: [...raw.changes, ...texts.changes],
      files: [...texts.files],
    }
  }
}

function convertByKind(raw: RawQuestion, texts: Texts): Pick<ReadQuestion, 'question' | 'answer' | 'exercise'> {
  switch (raw.kind) {
    case 'choice':
      return convertChoice(raw, texts)
    case 'text':
      return convertTextQuestion(raw, texts)
    case 'number':
      return convertNumber(raw, texts)
    case 'order':
      return convertOrder(raw, texts)
    case 'gaps':
      return convertGaps(raw, texts)
    case 'pairs':
      return convertPairs(raw, texts)
    case 'plain':
      return convertEssay(raw, texts)
  }
}
