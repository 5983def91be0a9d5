import autocannon from 'autocannon'
import { readCpu, readMemory, type Server } from './processes.js'

export interface Load {
  /** Answers a second. */
  rate: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers that are not 2xx, and connections that broke. */
  failures: number
  /** The server's resident memory at the end, in MB. */
  memory: number
  /** The server's processor time for each second, 1 is one core. */
  cpu: number
}

export interface LoadOptions {
  path: string
  /** Each connection sends one of them. */
  cookies: string[]
  connections?: number
  seconds?: number
}

/** Sends the same request over and over, on connections that stay open. */
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

/** The middle one of several rounds, by rate. */
export function median(loads: Load[]): Load {
  return loads.toSorted((a, b) => a.rate - b.rate)[loads.length >> 1] as Load
}
