import { api } from '../../../api/client.js'
import { toCards } from '../../../editor/cells.js'
import { newId } from '../../../storage/id.js'
import type { AuthorCard } from '../content-queries.js'

interface Row {
  question: string
  answer: string
  level: string
  draft: boolean
  client_id: string
}

/**
 * Creates one card for each complete pasted row, in order. `resume` continues after a failure; it creates no card
 * twice, because each row has a `client_id`.
 */
export class RowBatch {
  waiting = $state.raw<Row[]>([])
  done = $state(0)
  skipped = $state(0)
  isBusy = $state(false)
  fault = $state.raw<unknown>()
  #deck = ''
  readonly #oncreated: (card: AuthorCard) => void

  constructor(oncreated: (card: AuthorCard) => void) {
    this.#oncreated = oncreated
  }

  start(deck: string, rows: string[][], preset: { level: string; draft: boolean }): Promise<void> {
    const { cards, skipped } = toCards(rows)
    this.#deck = deck
    this.waiting = [...this.waiting, ...cards.map((card) => ({ ...preset, ...card, client_id: newId() }))]
    this.skipped = skipped
    this.done = 0
    return this.resume()
  }

  async resume(): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    this.fault = undefined
    try {
      for (let [row] = this.waiting; row !== undefined; [row] = this.waiting) {
        const { level, ...rest } = row
        const { card } = await api.post('/api/content/cards', {
          body: { deck: this.#deck, ...rest, ...(level !== '' && { level }) },
        })
        this.waiting = this.waiting.slice(1)
        this.done += 1
        this.#oncreated(card)
      }
    } catch (error) {
      this.fault = error
    } finally {
      this.isBusy = false
    }
  }

  stop(): void {
    this.waiting = []
    this.fault = undefined
    this.done = 0
  }
}
