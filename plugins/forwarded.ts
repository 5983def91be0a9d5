import { isIP } from 'node:net'
import fp from 'fastify-plugin'

/**
 * Address with a port, as some proxies send it, such as `203.0.113.10:1000` or `[2001:db8::1]:1000`. Also matches an
 * IPv6 address in brackets without a port.
 */
const WITH_PORT = /^(?:([0-9.]+):[0-9]*|\[([^\]]+)\](?::[0-9]*)?)$/

/**
 * Removes ports from forwarded addresses; otherwise rate limits would count every connection as a new client. Warns
 * once if `X-Forwarded-For` comes from an untrusted address: behind a proxy that TRUST_PROXY omits, rate limits count
 * all clients as one.
 */
export default fp(
  async (app) => {
    let hasWarned = false
    app.addHook('onRequest', (request, _reply, done) => {
      const forwarded = request.headers['x-forwarded-for']
      if (forwarded !== undefined) {
        request.headers['x-forwarded-for'] = String(forwarded).split(',').map(withoutPort).join(', ')
        // The first address is that of the peer; the forwarded addresses follow only if the peer is trusted.
        if (!hasWarned && (request.ips?.length ?? 1) === 1) {
          hasWarned = true
          app.log.warn(
            { address: request.ip },
            'X-Forwarded-For comes from an address that TRUST_PROXY does not name: if this is a proxy, all its clients count as one',
          )
        }
      }
      done()
    })
  },
  { name: 'forwarded' },
)

function withoutPort(text: string): string {
  const entry = text.trim()
  const [, ipv4 = '', ipv6 = ''] = WITH_PORT.exec(entry) ?? []
  const address = ipv4 || ipv6
  return isIP(address) === 0 ? entry : address
}
