import { readFileSync, statSync } from 'node:fs'
import { readAiken } from '../../../../domain/aiken/index.js'
import { FALLBACK_LEVEL, Levels, levelOfTags, normalizeDeckName } from '../../../../domain/anki/index.js'
import { FaultyContent } from '../../../../domain/content/refusals.js'
import {
  getOrCreateDeck,
  type Identity,
  type Incoming,
  type IncomingDeck,
} from '../../../../domain/content/upload/incoming.js'
import type { QuestionFormat } from '../../../../domain/content/upload/question-file.js'
import {
  type ConvertLimits,
  type KeepPicture,
  namesOfCategory,
  type ReadQuestion,
  type ReadQuestions,
} from '../../../../domain/exchange/index.js'
import { readGift } from '../../../../domain/gift/index.js'
import { readMoodle, type XmlFault } from '../../../../domain/moodle/index.js'
import { mediaTarget } from '../../../../domain/pictures/index.js'
import { type Exercise, parseExercise } from '../../../../domain/questions/exercise.js'
import { decodeTable } from '../../../../domain/table/index.js'
import { cutLabel, MAX_SIDE_LENGTH } from '../../../../domain/text/limits.js'
import { shorten, toLine } from '../../../../domain/text/text.js'
import { Findings } from './findings.js'
import { LIMITS, TABLE_TOO_LARGE } from './limits.js'
import type { ReadOptions } from './options.js'
import { PictureStore } from './picture-store.js'

type Read = (source: string, limits: ConvertLimits, keepPicture: KeepPicture) => ReadQuestions & { fault?: XmlFault }

const READERS: Readonly<Record<QuestionFormat, Read>> = { moodle: readMoodle, gift: readGift, aiken: readAiken }
const CONVERT_LIMITS: ConvertLimits = { maxLength: MAX_SIDE_LENGTH, maxQuestions: LIMITS.cards }
const NAME_LENGTH = 40
const REPEATED = 'Dieselbe Frage steht schon weiter oben, diese wird nicht übernommen'

/**
 * Reads a file with questions. A question that cannot be imported causes a warning. If no question can be imported, the
 * warnings become faults.
 * @throws FaultyContent if the file has faults
 * @throws TABLE_TOO_LARGE if the file exceeds 128 MiB
 * @throws TOO_MANY_CARDS, TEXT_TOO_LONG if the cards exceed a limit
 * @throws MediaFull if the pictures exceed `maxPictureBytes`
 */
export function readQuestionFile(path: string, format: QuestionFormat, options: ReadOptions): Incoming {
  const file = options.fileName
  if (statSync(path).size > LIMITS.tableBytes) throw TABLE_TOO_LARGE
  const decoded = decodeTable(readFileSync(path))
  if ('badLine' in decoded) {
    throw new FaultyContent([{ file, line: decoded.badLine, message: 'NUL-Zeichen sind nicht erlaubt' }])
  }
  const store = new PictureStore(options.workFolder, options.maxPictureBytes)
  const { questions, refused, fault } = READERS[format](decoded.text, CONVERT_LIMITS, (bytes) => {
    const kept = store.keep(bytes)
    return typeof kept === 'string' ? { problem: kept } : { target: mediaTarget(kept) }
  })
  const findings = new Findings()
  if (decoded.encoding === 'Windows-1252') {
    findings.warn(file, 1, 'Die Datei ist nicht in UTF-8 kodiert und wurde als Windows-1252 gelesen')
  }
  const isEmpty = questions.length === 0
  if (fault !== undefined) findings.fault(file, fault.line, fault.message)
  else if (isEmpty && refused.length === 0) findings.fault(file, 1, 'Die Datei enthält keine Frage')
  const decks = new QuestionDecks(findings, options)
  for (const question of questions) decks.add(question)
  for (const { line, name, reason, kind } of refused) {
    decks.omit(line, `Die Frage „${shown(name)}“ wird nicht übernommen: ${reason}`, kind)
  }
  for (const { line, message, kind } of decks.omitted) {
    if (decks.all.length === 0) findings.fault(file, line, message, kind)
    else findings.warn(file, line, message, kind)
  }
  findings.throwFaults()
  return { kind: 'table', decks: decks.all, sheets: [], pictures: store.pictures, ...findings.warnings }
}

class QuestionDecks {
  readonly #findings: Findings
  readonly #options: ReadOptions
  readonly #levels: Levels
  readonly #decks = new Map<string, IncomingDeck>()
  readonly #known = new Set<string>()
  /** Questions that are not imported, with the reason */
  readonly omitted: { line: number; message: string; kind: string }[] = []

  constructor(findings: Findings, options: ReadOptions) {
    this.#findings = findings
    this.#options = options
    this.#levels = new Levels(options.levels)
  }

  get all(): IncomingDeck[] {
    return [...this.#decks.values()]
  }

  add({ line, id, category, tags, question, answer, exercise: read, ...rest }: ReadQuestion): void {
    const { fileName: file, defaultDeck, deck } = this.#options
    const message = (text: string) => `„${shown(question)}“: ${text}`
    const reasons: string[] = []
    const exercise = read === null ? null : parseExercise(read, answer, (message) => reasons.push(message))
    if (reasons.length > 0) {
      const reason = reasons.join('; ')
      this.omit(line, message(`wird nicht übernommen: ${reason}`), reason)
      return
    }
    const path = category === null ? undefined : namesOfCategory(category).join('::')
    const name = cutLabel(normalizeDeckName(deck ?? path ?? defaultDeck))
    const identity = this.#identify(id, name, { question, answer, exercise })
    if (identity === undefined) {
      this.omit(line, message(REPEATED), REPEATED)
      return
    }
    for (const change of rest.changes) this.#findings.warn(file, line, message(change), change)
    for (const lost of rest.files) this.#findings.warn(file, line, message(lost), 'file')
    this.#findings.countCard({ question, answer, exercise })
    const level = this.#levelOf(tags)
    getOrCreateDeck(this.#decks, name).cards.push({ identity, question, answer, level, exercise, file, line })
  }

  omit(line: number, message: string, kind: string): void {
    this.omitted.push({ line, message, kind })
  }

  /**
   * Returns the identity of a question: its id, or its text if the id is missing or repeated, because ids of Moodle are
   * unique only within a category. Another question of the deck with the same text is identified by all of its content.
   * Returns undefined if an earlier question of the deck has the same content.
   */
  #identify(
    id: string | null,
    deck: string,
    { question, ...rest }: { question: string; answer: string; exercise: Exercise | null },
  ): Identity | undefined {
    if (id !== null && this.#isNew(id)) return { by: 'id', id }
    const content = JSON.stringify([deck, question, rest])
    if (!this.#isNew(content)) return undefined
    return this.#isNew(deck, question) ? { by: 'question' } : { by: 'id', id: content }
  }

  #isNew(...parts: string[]): boolean {
    const key = JSON.stringify(parts)
    const isNew = !this.#known.has(key)
    this.#known.add(key)
    return isNew
  }

  #levelOf(tags: readonly string[]): string {
    const { level } = this.#options
    const names = tags.map(toLine)
    return cutLabel(level ?? levelOfTags(names, this.#levels)) || FALLBACK_LEVEL
  }
}

function shown(text: string): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), NAME_LENGTH).replace(/\.\.\.$/, '…')
}
