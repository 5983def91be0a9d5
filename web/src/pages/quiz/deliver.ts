import { isStored, type QuizResult, type Run, scoreOf } from './run.js'

export interface DeliveryPorts {
  results(): Promise<QuizResult[]>
  submit(body: { total: number; correct: number; deck: string }): Promise<unknown>
  /** Stores the run; called with each new state of the delivery */
  keep(run: Run): void
  /** Returns whether the service has certainly not stored the result */
  isDefinitelyRefused(error: unknown): boolean
}

/**
 * Sends the result of a run once; does nothing for a practice run or a stored result. After a request with an unknown
 * outcome, checks in the history whether the result was stored before sending it again.
 * @throws the error of a failed request
 */
export async function deliver(run: Run, ports: DeliveryPorts): Promise<void> {
  if (run.isPractice || run.delivery.state === 'stored') return
  const results = await ports.results()
  if (run.delivery.state === 'unsure' && isStored(run, run.delivery.before, results)) {
    ports.keep({ ...run, delivery: { state: 'stored' } })
    return
  }
  const before = results.map(({ created_at }) => created_at)
  ports.keep({ ...run, delivery: { state: 'unsure', before } })
  const { total, correct } = scoreOf(run)
  try {
    await ports.submit({ total, correct, deck: run.deck || 'all' })
  } catch (error) {
    if (ports.isDefinitelyRefused(error)) ports.keep({ ...run, delivery: { state: 'unsent' } })
    throw error
  }
  ports.keep({ ...run, delivery: { state: 'stored' } })
}
