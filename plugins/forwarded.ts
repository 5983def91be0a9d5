import { isIP } from 'node:net'
import fp from 'fastify-plugin'

/** `203.0.113.10:1000`, `[2001:db8::1]:1000` or `[2001:db8::1]`: some proxies send the port as well. */
const WITH_PORT = /^(?:([0-9.]+):[0-9]*|\[([^\]]+)\](?::[0-9]*)?)$/

/**
 * What proxies say of their clients: a port is no part of an address, or each connection would be somebody else to every
 * limit. And when somebody says it who is not trusted, one line tells, since behind a proxy that TRUST_PROXY does not
 * name all clients are one.
 */
export default fp(
  async (app) => {
    let hasWarned = false
    app.addHook('onRequest', (request, _reply, done) => {
      const forwarded = request.headers['x-forwarded-for']
      if (forwarded !== undefined) {
        request.headers['x-forwarded-for'] = String(forwarded).split(',').map(withoutPort).join(', ')
        // The first address is the sender's own; those it names follow when it is trusted.
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
