import type { IncomingMessage } from 'node:http'

/** A name, an IPv4 or a bracketed IPv6 address, perhaps with a port; empty when the target has no authority. */
const HOST = /^(?:\[[^\s,/?#@\\[\]]+\]|[^\s,/?#@\\[\]:]*)(?::[0-9]*)?$/

/** One Host header that can be one; HTTP/1.0 needs none (RFC 9112, 3.2). Node passes the first of several on. */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.0'
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count === 1 && HOST.test(host)
}
