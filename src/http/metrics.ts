import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface RequestObservation {
  method: string
  /** Route pattern; undefined if no route matched */
  route: string | undefined
  operationId: string | undefined
  status: number
  seconds: number
}

export interface QueryObservation {
  seconds: number
  failed: boolean
}

export interface PoolState {
  total: number
  idle: number
  waiting: number
}

export interface Metrics {
  startRequest(): void
  endRequest(observation: RequestObservation): void
  observeQuery(observation: QueryObservation): void
  render(): Promise<{ text: string; contentType: string }>
}

const LOGIN_OUTCOMES: Record<number, string> = { 200: 'success', 401: 'refused', 429: 'limited' }
const IMPORT_OUTCOMES: Record<number, string> = { 200: 'success', 400: 'faulty', 409: 'refused' }
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** @param poolState called at each scrape */
export function createMetrics(poolState: () => PoolState): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  const inProgress = new Gauge({ name: 'http_requests_in_progress', help: 'Requests being answered', registers })
  const queries = new Histogram({
    name: 'database_query_duration_seconds',
    help: 'Time of a statement, without the wait for a connection',
    buckets: SECONDS,
    registers,
  })
  const queryErrors = new Counter({ name: 'database_query_errors_total', help: 'Statements that failed', registers })
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database, in use and idle, and requests waiting for one',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = poolState()
      this.set({ state: 'used' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  const logins = new Counter({
    name: 'logins_total',
    help: 'Attempts to log in',
    labelNames: ['outcome'],
    registers,
  })
  const imports = new Histogram({
    name: 'import_duration_seconds',
    help: 'Imports by request',
    labelNames: ['outcome'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600],
    registers,
  })
  const lastImport = new Gauge({
    name: 'import_last_success_timestamp_seconds',
    help: 'When an import by request last succeeded in this process',
    registers,
  })

  return {
    startRequest: () => inProgress.inc(),
    endRequest({ method, route = 'none', operationId, status, seconds }) {
      inProgress.dec()
      requests.observe({ method, route, status }, seconds)
      if (operationId === 'login') logins.inc({ outcome: LOGIN_OUTCOMES[status] ?? 'error' })
      if (operationId === 'importContent' && status !== 401 && status !== 403) {
        imports.observe({ outcome: IMPORT_OUTCOMES[status] ?? 'error' }, seconds)
        if (status === 200) lastImport.setToCurrentTime()
      }
    },
    observeQuery({ seconds, failed }) {
      queries.observe(seconds)
      if (failed) queryErrors.inc()
    },
    render: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  }
}
