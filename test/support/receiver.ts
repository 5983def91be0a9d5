import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { EventBody } from '../../src/domain/webhooks/events.js'
import type { Owner } from './process.js'

export interface ReceivedMessage {
  headers: http.IncomingHttpHeaders
  /** `webhook-id` */
  id: string
  text: string
  /** The parsed body */
  body: EventBody
}

interface Answer {
  status?: number
  headers?: Record<string, string>
  text?: string
  /** Whether the connection breaks before the end of the response */
  isBroken?: boolean
}

export interface Receiver {
  port: number
  url: string
  /** Messages in the order of their arrival */
  received: ReceivedMessage[]
  /** Returns the response to a message, at once or later. */
  onMessage: (message: ReceivedMessage) => Answer | undefined | Promise<Answer | undefined>
}

/**
 * Starts a receiver of webhooks on the loopback interface. Closes it when the test ends.
 * @param tls key and certificate; undefined for a server without encryption
 */
export async function startReceiver(t: Owner, tls?: https.ServerOptions): Promise<Receiver> {
  const handle: http.RequestListener = async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    const { headers } = request
    const message = { headers, id: String(headers['webhook-id']), text, body: JSON.parse(text) }
    receiver.received.push(message)
    const {
      status = 200,
      text: answer = 'ok',
      headers: sent = {},
      isBroken,
    } = (await receiver.onMessage(message)) ?? {}
    response.writeHead(status, sent)
    if (isBroken) response.write(answer, () => response.destroy())
    else response.end(answer)
  }
  const server = tls === undefined ? http.createServer(handle) : https.createServer(tls, handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hooks/geheim-0815`
  const receiver: Receiver = { port, url, received: [], onMessage: () => undefined }
  return receiver
}

/** Returns the body of a message. @throws Error if the signature does not fit the secret */
export function verify(secret: string, { headers, text }: ReceivedMessage): EventBody {
  return new Webhook(secret).verify(text, headers as Record<string, string>) as EventBody
}
