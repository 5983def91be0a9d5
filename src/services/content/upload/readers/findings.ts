import { type CardTexts, lengthOfTexts } from '../../../../domain/content/card-texts.js'
import { comparePlaces, countFindings, type Finding, GroupedFindings } from '../../../../domain/content/findings.js'
import { FaultyContent } from '../../../../domain/content/refusals.js'
import { LIMITS, TEXT_TOO_LONG, TOO_MANY_CARDS_IN_FILE } from './limits.js'

const MAX_WARNINGS = 200
const MAX_FAULTS = 100_000

export class Findings {
  readonly faults: Finding[] = []
  readonly #warnings = new GroupedFindings()
  readonly #summaries: Finding[] = []
  #cards = 0
  #length = 0

  /** @param kind is the same for faults that differ only in names and numbers; default: the message */
  fault(file: string, line: number, message: string, kind = message): void {
    this.faults.push({ file, line, message, kind })
    if (this.faults.length >= MAX_FAULTS) this.throwFaults()
  }

  /** @param kind as that of `fault` */
  warn(file: string, line: number, message: string, kind = message): void {
    this.#warnings.add({ file, line, message, kind })
  }

  /** Adds the warnings of another file. @param total their number, with those that `warnings` lacks */
  addWarnings(warnings: readonly Finding[], total: number): void {
    for (const warning of warnings) this.#warnings.add(warning)
    this.#warnings.addUnlisted(total - countFindings(warnings))
  }

  /** Adds a warning about the whole file. If there are too many warnings, those of `warn` are omitted first. */
  summarise(file: string, message: string): void {
    this.#summaries.push({ file, line: 0, message })
  }

  /** Counts a card. @throws TOO_MANY_CARDS, TEXT_TOO_LONG if the total of cards or characters exceeds its limit */
  countCard(card: Partial<CardTexts>): void {
    this.countLength(lengthOfTexts(card))
  }

  /**
   * Counts a card by its number of characters.
   * @throws TOO_MANY_CARDS, TEXT_TOO_LONG if the total of cards or characters exceeds its limit
   */
  countLength(length: number): void {
    this.#cards++
    this.#length += length
    if (this.#cards > LIMITS.cards) throw TOO_MANY_CARDS_IN_FILE
    if (this.#length > LIMITS.totalLength) throw TEXT_TOO_LONG
  }

  get warnings(): { warnings: Finding[]; warningsTotal: number } {
    const others = this.#warnings.list().slice(0, MAX_WARNINGS - this.#summaries.length)
    return {
      warnings: [...others, ...this.#summaries].sort(comparePlaces),
      warningsTotal: this.#warnings.total + this.#summaries.length,
    }
  }

  /** @throws FaultyContent if there are faults */
  throwFaults(): void {
    if (this.faults.length > 0) throw new FaultyContent(this.faults.sort(comparePlaces))
  }
}
