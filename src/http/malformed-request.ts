import type { IncomingMessage } from 'node:http'

/**
 * Matches a name, an IPv4 or a bracketed IPv6 address, optionally with a port. Also matches an empty Host header, which
 * clients send if the target has no authority.
 */
const HOST = /^(?:\[[^\s,/?#@\\[\]]+\]|[^\s,/?#@\\[\]:]*)(?::[0-9]*)?$/

/** Returns whether HTTP/1.1 requires refusing a request that Node's parser accepts (RFC 9112, 2.3, 3.2 and 6.1). */
export function isMalformed({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const isOld = httpVersion === '1.0'
  if (!isOld && httpVersion !== '1.1') return true
  // Node decodes `chunked` only and would pass on a compressed body unchanged.
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return true
  return headers.host === undefined ? !isOld : !HOST.test(headers.host) || countHosts(rawHeaders) > 1
}

/** Counts the Host headers in `rawHeaders`, because `headers` contains only the first. */
function countHosts(rawHeaders: string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
