import { convertHtml } from '../../../../domain/markup/index.js'
import { toPlainText } from '../../../../domain/search/plain-text.js'
import { MAX_SIDE_LENGTH } from '../../../../domain/text/limits.js'
import { shorten } from '../../../../domain/text/text.js'
import type { Findings } from './findings.js'

const NAMED_CARDS = 3
const NAME_LENGTH = 40
/** Number of characters of a field that are searched for its first words */
const SEARCHED_LENGTH = 2_000

/** A note, which messages identify by its first words or, if it has no words, by its guid */
interface Note {
  fields: readonly string[]
  guid: string
}

/** Collects skipped cards by deck and reason, so that each group causes a single warning. */
export class LeftOutCards {
  readonly #groups = new Map<string, { deck: string; reason: string; names: string[]; count: number }>()

  add(deck: string, note: Note, reason: string): void {
    const key = JSON.stringify([deck, reason])
    const group = this.#groups.get(key) ?? { deck, reason, names: [], count: 0 }
    this.#groups.set(key, group)
    group.count++
    if (group.names.length < NAMED_CARDS) group.names.push(`„${nameOf(note)}“`)
  }

  describe(findings: Findings): void {
    for (const { deck, reason, names, count } of this.#groups.values()) {
      const others = count > names.length ? ` und ${count - names.length} weitere` : ''
      const message =
        count === 1
          ? `Die Karte ${names[0]} wird nicht übernommen: ${reason}`
          : `${count} Karten werden nicht übernommen: ${reason} (${names.join(', ')}${others})`
      findings.warn(deck, 0, message, reason)
    }
  }
}

function nameOf({ fields, guid }: Note): string {
  for (const field of fields) {
    const { markdown } = convertHtml(field.slice(0, SEARCHED_LENGTH), {
      styles: undefined,
      showsHidden: true,
      picture: () => undefined,
      maxLength: MAX_SIDE_LENGTH,
    })
    const words = toPlainText(markdown).replaceAll(/\s+/g, ' ').trim()
    if (words !== '') return shorten(words, NAME_LENGTH).replace(/\.\.\.$/, '…')
  }
  return shorten(guid, NAME_LENGTH)
}
