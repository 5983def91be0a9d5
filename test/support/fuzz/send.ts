import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'

export interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface Outgoing {
  method: string
  url: string
  headers: Record<string, string>
  body?: Buffer | undefined
}

/** Error thrown if the response is incomplete, or the connection still open, at the timeout */
export class HangError extends Error {}

export const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/**
 * Sends a request, unchanged as far as Node's client allows. Returns the whole response.
 * @param origin such as `http://127.0.0.1:3000`
 * @throws HangError if the response is not complete within the timeout
 * @throws Error if the connection fails
 */
export function send(
  origin: string,
  { method, url, headers, body }: Outgoing,
  timeoutMs: number,
): Promise<RawResponse> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const outgoing = request({
      agent,
      hostname,
      port,
      method,
      path: url,
      headers: { ...headers, ...(body !== undefined && { 'content-length': String(body.length) }) },
    })
    const timer = setTimeout(() => outgoing.destroy(new HangError(`no response in ${timeoutMs} ms`)), timeoutMs)
    outgoing.once('close', () => clearTimeout(timer))
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => readAll(incoming).then(resolve, reject))
    outgoing.end(body)
  })
}

async function readAll(incoming: IncomingMessage): Promise<RawResponse> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text: Buffer.concat(chunks).toString(),
  }
}

/**
 * Sends bytes and half-closes the connection. Returns the text received until the connection is closed or fails.
 * @throws HangError if the connection is still open after the timeout
 */
export function exchangeBytes(origin: string, bytes: Buffer, timeoutMs: number): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    const timer = setTimeout(() => socket.destroy(new HangError(`still open after ${timeoutMs} ms`)), timeoutMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error) => {
      if (error instanceof HangError) reject(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString())
    })
    socket.end(bytes)
  })
}
