import { type Cluster, startCluster } from '../../../dist/test/support/postgres.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  type RunningService,
  type Send,
  startProcess,
} from '../../../dist/test/support/process.js'
import type { Scope } from '../outcome.js'

export async function startServer(scope: Scope, settings: string[] = [], variables = {}): Promise<Cluster> {
  const cluster = await startCluster(settings, variables)
  scope.teardown(() => cluster.stop())
  return cluster
}

export interface Service {
  service: RunningService
  variables: Record<string, string>
  login: { username: string; password: string }
  send: Send
}

/** Starts the service on a new database of the server, or an embedded one if `serverUrl` is empty, and logs in. */
export async function startService(
  scope: Scope,
  serverUrl: string,
  extra: Record<string, string> = {},
): Promise<Service> {
  const variables = { ...(await createStoreVariables(scope, 'empty', serverUrl)), RATE_LIMIT: '0', ...extra }
  const service = await startProcess(scope, variables)
  const login = firstLogin(service, variables)
  return { service, variables, login, send: await loginOver(service.url, login, { repeats: false }) }
}
