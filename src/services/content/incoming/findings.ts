import type { Fault, Warning } from '../../../domain/content/types.js'
import { FaultyContent, FILE_TOO_LARGE } from '../../../domain/refusals.js'
import { compareText } from '../find-files.js'
import { LIMITS } from './limits.js'

const MAX_WARNINGS = 200
const MAX_FAULTS = 100_000

/** What a reader finds in an upload, and how much of it there is. */
export class Findings {
  readonly faults: Fault[] = []
  readonly #warnings: Warning[] = []
  #total = 0
  #cards = 0
  #length = 0

  fault(file: string, line: number, message: string): void {
    this.faults.push({ file, line, message })
    if (this.faults.length >= MAX_FAULTS) this.throwFaults()
  }

  warn(file: string, line: number, message: string): void {
    this.#total++
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ file, line, message })
  }

  /** What sums up many things must not go under in them. */
  summarise(file: string, message: string): void {
    this.#total++
    if (this.#warnings.length >= MAX_WARNINGS) this.#warnings.pop()
    this.#warnings.push({ file, line: 0, message })
  }

  /** @throws FILE_TOO_LARGE when all cards together are too much */
  countCard(question: string, answer: string): void {
    this.#cards++
    this.#length += question.length + answer.length
    if (this.#cards > LIMITS.cards || this.#length > LIMITS.totalLength) throw FILE_TOO_LARGE
  }

  get warnings(): { warnings: Warning[]; warningsTotal: number } {
    return { warnings: this.#warnings.sort(compareFindings), warningsTotal: this.#total }
  }

  /** @throws FaultyContent when there are faults */
  throwFaults(): void {
    if (this.faults.length > 0) throw new FaultyContent(this.faults.sort(compareFindings))
  }
}

function compareFindings(a: Fault, b: Fault): number {
  return compareText(a.file, b.file) || a.line - b.line
}
