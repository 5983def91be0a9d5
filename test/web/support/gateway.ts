import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Owner } from '../../support/process.js'

/** Handling of one request by a gateway between browser and service */
export type Behaviour = (asked: IncomingMessage, answer: ServerResponse, pass: Pass) => void
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

export const passOn: Behaviour = (_asked, _answer, pass) => pass()
export const silence: Behaviour = () => {}

export const replyWith =
  (reply: Reply): Behaviour =>
  (_asked, answer) =>
    send(answer, reply)

export async function openGateway(t: Owner, service: string): Promise<Gateway> {
  let behaviour = passOn
  const open = new Set<ServerResponse>()
  const server = createServer((asked, answer) => {
    open.add(answer)
    answer.once('close', () => open.delete(answer))
    behaviour(asked, answer, (instead) => pass(service, asked, answer, instead))
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
      for (const answer of open) answer.destroy()
    },
  }
}

function pass(service: string, asked: IncomingMessage, answer: ServerResponse, instead?: Reply): void {
  const { method, headers, url } = asked
  const onward = request(new URL(url ?? '/', service), { method: method ?? 'GET', headers }, (found) => {
    if (instead !== undefined) {
      found.resume()
      found.once('end', () => send(answer, instead))
      return
    }
    answer.writeHead(found.statusCode ?? 502, found.headers)
    found.pipe(answer)
  })
  onward.once('error', () => answer.destroy())
  asked.pipe(onward)
}

function send(answer: ServerResponse, { status, type, body }: Reply): void {
  answer.writeHead(status, { 'content-type': type })
  answer.end(body)
}
