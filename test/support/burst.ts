import { setTimeout as sleep } from 'node:timers/promises'
import type { Send } from './process.js'

/** A stream of submitted quiz results, each with a unique number */
export interface Burst {
  /** Numbers of the results whose response was 200 */
  acknowledged: Set<number>
  /** Number of responses by status; `cut` counts requests without a response: broken connections and timeouts. */
  statuses: Record<string, number>
  /** Responses other than 200 or a documented 503, and timeouts */
  defects: string[]
  slowestMs: number
  /** Resolves after `more` further acknowledgements. */
  reach(more: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Submits quiz results until `stop` is called.
 * @param first number of the first result
 */
export function startBurst(send: Send, { workers = 4, first = 1 } = {}): Burst {
  let next = first
  let done = false
  const goals: { count: number; resolve: () => void }[] = []
  const burst = {
    acknowledged: new Set<number>(),
    statuses: {} as Record<string, number>,
    defects: [] as string[],
    slowestMs: 0,
  }

  const submit = async () => {
    const number = next++
    const started = performance.now()
    const status = await send('/api/quiz/submit', { body: { total: number, deck: 'burst' } }).then(
      async (response) => {
        const text = await response.text()
        if (response.status === 200) burst.acknowledged.add(number)
        else burst.defects.push(...findDefects(response, text))
        return String(response.status)
      },
      (error: Error) => {
        if (error.name === 'TimeoutError') burst.defects.push('a submit hangs')
        return 'cut'
      },
    )
    burst.slowestMs = Math.max(burst.slowestMs, performance.now() - started)
    burst.statuses[status] = (burst.statuses[status] ?? 0) + 1
    for (const goal of goals) if (burst.acknowledged.size >= goal.count) goal.resolve()
    // Avoids a busy loop if requests are refused.
    if (status !== '200') await sleep(20)
  }
  const work = async () => {
    while (!done) await submit()
  }
  const working = Promise.all(Array.from({ length: workers }, work))
  return Object.assign(burst, {
    reach: (more: number) =>
      new Promise<void>((resolve) => goals.push({ count: burst.acknowledged.size + more, resolve })),
    stop: async () => {
      done = true
      await working
    },
  })
}

function findDefects(response: Response, text: string): string[] {
  const isDocumented =
    response.status === 503 &&
    Number(response.headers.get('retry-after')) > 0 &&
    /^\{"statusCode":503,"error":"Service Unavailable","message":"[^"]+","requestId":"[^"]+"\}$/.test(text)
  return isDocumented ? [] : [`${response.status} ${text}`]
}

async function listStored(send: Send): Promise<Set<number>> {
  const response = await send('/api/accounts/me/data')
  if (response.status !== 200) throw new Error(`own data: ${response.status} ${await response.text()}`)
  const { results } = (await response.json()) as { results: { total_questions: number }[] }
  return new Set(results.map((result) => result.total_questions))
}

export async function findLost(send: Send, acknowledged: Iterable<number>): Promise<number[]> {
  const stored = await listStored(send)
  return [...acknowledged].filter((number) => !stored.has(number))
}
