import autocannon from 'autocannon'
import { median } from './median.js'
import { readCpu, readMemory, type Server } from './processes.js'

export interface Load {
  /** Responses per second */
  rate: number
  /** Median of the latency in milliseconds; `p99` is the 99th percentile. */
  p50: number
  p99: number
  /** Number of responses other than 2xx, and of requests without a response */
  failures: number
  /** The server's resident memory at the end in MB */
  memory: number
  /** The server's processor time per second; 1 is one core */
  cpu: number
}

export interface LoadOptions {
  path: string
  /** `Cookie` headers, assigned to the connections in rotation */
  cookies: string[]
  connections?: number
  seconds?: number
}

export async function load(server: Server, options: LoadOptions): Promise<Load> {
  const { path, cookies, connections = 20, seconds = 5 } = options
  const pid = server.process.pid as number
  const cpu = await readCpu(pid)
  let next = 0
  const result = await autocannon({
    url: server.url + path,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const cookie = cookies[next++ % cookies.length]
      if (cookie !== undefined) client.setHeaders({ cookie })
    },
  })
  return {
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors,
    memory: await readMemory(pid),
    cpu: ((await readCpu(pid)) - cpu) / result.duration,
  }
}

export function medianLoad(loads: readonly Load[]): Load {
  const of = (key: keyof Load) => loads.map((load) => load[key])
  return {
    rate: median(of('rate')),
    p50: median(of('p50')),
    p99: median(of('p99')),
    failures: Math.max(...of('failures')),
    memory: Math.max(...of('memory')),
    cpu: median(of('cpu')),
  }
}

/**
 * Runs the functions in turn, so that the load of the machine affects all of them equally. Returns the results of each
 * function, except for those of the first round, which is a warm-up.
 */
export async function alternate<T extends readonly (() => Promise<unknown>)[]>(
  rounds: number,
  ...works: T
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>>[] }> {
  const results = works.map(() => [] as unknown[])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, work] of works.entries()) {
      const result = await work()
      if (round > 0) results[index]?.push(result)
    }
  }
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>>[] }
}
