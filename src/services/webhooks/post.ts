import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { type DeliveryFault, excerptOf, type Outcome, parseRetryAfter } from '../../domain/webhooks/delivery.js'
import { type AddressRules, ipOf } from '../../domain/webhooks/networks.js'

/** Timeout of an attempt, from the lookup of the name to the end of the response */
const TIMEOUT_MS = 10_000
/** Maximum size of a response; the connection is closed after it */
const MAX_BYTES = 64 * 1_024

/** Lookups occupy the threads of Node, which files need too; name servers that do not answer must not occupy all. */
const MAX_LOOKUPS = 2

/** Resolves a name, as `dns.lookup` does with the option `all`. */
export type ResolveName = (
  hostname: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void

export interface Message {
  headers: Record<string, string>
  body: string
}

const resolveBySystem = limitLookups((name, options, done) => dns.lookup(name, options, done), MAX_LOOKUPS)

/** A connection to the receiver of a webhook. It stays open between messages. */
export interface Receiver {
  /**
   * Sends a message. Never rejects because of the receiver or the network.
   * @throws the reason of the signal if it is aborted before there is a response
   */
  post(message: Message, signal: AbortSignal): Promise<Outcome>
  close(): void
}

const NOT_ALLOWED = 'ERR_ADDRESS_NOT_ALLOWED'

/**
 * Opens a connection to a receiver. The address is checked when the connection is made, not before: otherwise a name
 * could resolve to a public address for the check and to an internal one for the connection. Redirects are not followed,
 * and proxies of the environment are not used.
 * @param createLimit returns a signal that ends an attempt
 */
export function openReceiver(
  url: URL,
  rules: AddressRules,
  resolveName: ResolveName = resolveBySystem,
  createLimit: () => AbortSignal = () => AbortSignal.timeout(TIMEOUT_MS),
): Receiver {
  const isEncrypted = url.protocol === 'https:'
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const allowed = addresses.filter(({ address }) => rules.mayReach(address, isEncrypted))
      const [first] = allowed
      if (first === undefined) return callback(notAllowed(), [])
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
  const agent = new (isEncrypted ? https : http).Agent({ keepAlive: true, maxSockets: 1 })
  const options = { method: 'POST', agent, lookup }
  const request = isEncrypted ? https.request : http.request

  const attempt = ({ headers, body }: Message, signal: AbortSignal, limit: AbortSignal) =>
    new Promise<Outcome & { isStale?: boolean }>((resolve, reject) => {
      let sent: http.ClientRequest | undefined
      let answered: http.IncomingMessage | undefined
      const pieces: Buffer[] = []
      const settle = (settled: () => void) => {
        for (const cause of [signal, limit]) cause.removeEventListener('abort', onAbort)
        settled()
      }
      // The receiver has answered, so the status counts even if the rest of the response is missing.
      const end = ({ statusCode = 0, headers: { 'retry-after': header } }: http.IncomingMessage) => {
        const answer = excerptOf(Buffer.concat(pieces).toString(), url)
        const retryAfter = parseRetryAfter(header, new Date())
        settle(() => resolve({ status: statusCode, fault: null, answer, retryAfter }))
      }
      const fail = (error: NodeJS.ErrnoException) => {
        if (answered !== undefined) return end(answered)
        if (signal.aborted && !limit.aborted) return settle(() => reject(signal.reason))
        const fault = limit.aborted ? 'timeout' : faultOf(error)
        // A receiver may close an idle connection at the moment in which it is used again.
        const isStale = sent?.reusedSocket === true && fault === 'connection'
        settle(() => resolve({ status: null, fault, answer: excerptOf(describe(error), url), isStale }))
      }
      // Settles in any case; not each state of a request turns its abortion into an event.
      const onAbort = () => {
        fail(new Error('aborted'))
        sent?.destroy()
      }
      if (signal.aborted || limit.aborted) return onAbort()
      for (const cause of [signal, limit]) cause.addEventListener('abort', onAbort)
      // `net.connect` looks up names only, so an IP address in the URL is checked here.
      const ip = ipOf(url)
      if (ip !== undefined && !rules.mayReach(ip, isEncrypted)) {
        settle(() => resolve({ status: null, fault: 'address', answer: '' }))
        return
      }
      try {
        sent = request(url, {
          ...options,
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'svc-training',
          },
        })
      } catch (error) {
        fail(error as NodeJS.ErrnoException)
        return
      }
      sent.on('error', fail)
      // A request can also end without an error and without a response.
      sent.on('close', () => {
        if (answered === undefined) fail(new Error('the connection was closed without a response'))
      })
      sent.on('upgrade', (response, socket) => {
        socket.destroy()
        end(response)
      })
      sent.on('response', (response) => {
        answered = response
        let size = 0
        response.on('data', (piece: Buffer) => {
          pieces.push(piece)
          size += piece.length
          if (size >= MAX_BYTES) response.destroy()
        })
        response.on('error', () => {})
        response.on('close', () => end(response))
      })
      sent.end(body)
    })

  return {
    async post(message, signal) {
      const limit = createLimit()
      const { isStale, ...outcome } = await attempt(message, signal, limit)
      if (isStale !== true) return outcome
      const { isStale: _, ...second } = await attempt(message, signal, limit)
      return second
    },
    close: () => agent.destroy(),
  }
}

/** Returns a resolver that looks up at most `most` names at the same time. */
export function limitLookups(resolveName: ResolveName, most: number): ResolveName {
  let active = 0
  const waiting: (() => void)[] = []
  return (hostname, options, done) => {
    const start = () => {
      active++
      resolveName(hostname, options, (error, addresses) => {
        active--
        waiting.shift()?.()
        done(error, addresses)
      })
    }
    if (active < most) start()
    else waiting.push(start)
  }
}

function notAllowed(): NodeJS.ErrnoException {
  return Object.assign(new Error('the name resolves only to addresses that are not allowed'), { code: NOT_ALLOWED })
}

/** Matches the error codes of Node and OpenSSL for rejected certificates and failed handshakes. */
const ENCRYPTION_CODES = /CERT|SIGNATURE|TLS|SSL|EPROTO/

function faultOf({ code = '' }: NodeJS.ErrnoException): DeliveryFault {
  if (code === NOT_ALLOWED) return 'address'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name'
  return ENCRYPTION_CODES.test(code) ? 'encryption' : 'connection'
}

/** Returns the message of an error; that of the first attempt if all addresses of a name have failed. */
function describe(error: Error & { errors?: Error[] }): string {
  return error.message || (error.errors?.[0]?.message ?? '')
}
