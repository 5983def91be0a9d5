import { type Delivery, isStored, type QuizResult, type WaitingResult } from './run.js'

export interface DeliveryPorts {
  results(): Promise<QuizResult[]>
  submit(body: { total: number; correct: number; deck: string }): Promise<unknown>
  /** Stores each new state of the delivery */
  keep(delivery: Delivery): void
  /** Returns whether the service has certainly not stored the result */
  isDefinitelyRefused(error: unknown): boolean
}

/**
 * Sends a result once. After a request with an unknown outcome, checks in the history whether the result was stored
 * before sending it again.
 * @throws the error of a failed request
 */
export async function deliver(result: WaitingResult, ports: DeliveryPorts): Promise<void> {
  const { deck, total, correct, delivery } = result
  const results = await ports.results()
  if (delivery.state === 'unsure' && isStored(result, delivery.before, results)) {
    ports.keep({ state: 'stored' })
    return
  }
  ports.keep({ state: 'unsure', before: results.map(({ created_at }) => created_at) })
  try {
    await ports.submit({ total, correct, deck: deck || 'all' })
  } catch (error) {
    if (ports.isDefinitelyRefused(error)) ports.keep({ state: 'unsent' })
    throw error
  }
  ports.keep({ state: 'stored' })
}
