import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Owner } from '../../support/process.js'

/** Handling of one request by a gateway between browser and service */
export type Behaviour = (asked: IncomingMessage, response: ServerResponse, pass: Pass) => void
/**
 * A function that forwards the request to the service. With `instead`, the browser gets this reply instead of the
 * service's response.
 */
export type Pass = (instead?: Reply) => void

export interface Reply {
  status: number
  type: string
  body: string
}

export interface Gateway {
  url: string
  /** Sets the behaviour for the following requests. Aborts pending responses. */
  behave(behaviour: Behaviour): void
}

export const passOn: Behaviour = (_asked, _response, pass) => pass()
export const silence: Behaviour = () => {}

export const replyWith =
  (reply: Reply): Behaviour =>
  (_asked, response) =>
    send(response, reply)

export async function openGateway(t: Owner, service: string): Promise<Gateway> {
  let behaviour = passOn
  const open = new Set<ServerResponse>()
  const server = createServer((asked, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    behaviour(asked, response, (instead) => pass(service, asked, response, instead))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave(next) {
      behaviour = next
      for (const response of open) response.destroy()
    },
  }
}

function pass(service: string, asked: IncomingMessage, response: ServerResponse, instead?: Reply): void {
  const { method, headers, url } = asked
  const onward = request(new URL(url ?? '/', service), { method: method ?? 'GET', headers }, (found) => {
    if (instead !== undefined) {
      found.resume()
      found.once('end', () => send(response, instead))
      return
    }
    response.writeHead(found.statusCode ?? 502, found.headers)
    found.pipe(response)
  })
  onward.once('error', () => response.destroy())
  asked.pipe(onward)
}

function send(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { 'content-type': type })
  response.end(body)
}
