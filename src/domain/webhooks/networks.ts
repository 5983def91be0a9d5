import { BlockList, isIP } from 'node:net'

/** Networks whose addresses are not reachable from everywhere, or lead to such networks (RFC 6890 and its registries) */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * Global unicast. Everything else is special: loopback, link-local, unique local and multicast addresses, and the forms
 * that contain an IPv4 address, such as `::ffff:127.0.0.1`. NAT64 addresses are judged by their IPv4 address.
 */
const GLOBAL_IPV6 = ['2000::/3']
/** Special networks within `GLOBAL_IPV6`: protocols such as Teredo, documentation, and 6to4, which contains an IPv4 address */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const specialIpv4 = toBlockList(SPECIAL_IPV4)
const globalIpv6 = toBlockList(GLOBAL_IPV6)
const specialIpv6 = toBlockList(SPECIAL_IPV6)

export interface AddressRules {
  /** Returns whether a connection to an IP address is allowed. */
  mayReach(address: string, isEncrypted: boolean): boolean
  /** Whether there may be connections without encryption */
  mayBePlain: boolean
}

/**
 * Returns the rules for the addresses of webhooks: encrypted connections to public addresses, and any connections to the
 * given networks.
 * @param networks IP addresses and networks in CIDR notation
 */
export function createAddressRules(networks: readonly string[]): AddressRules {
  const allowed = toBlockList(networks)
  return {
    mayReach: (address, isEncrypted) =>
      includes(allowed, fromNat64(address)) || (isEncrypted && isPublic(fromNat64(address))),
    mayBePlain: networks.length > 0,
  }
}

/** @example isPublic('::ffff:8.8.8.8') // false, because an IPv4 address in IPv6 notation is special */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !includes(specialIpv4, address)
  return family === 6 && includes(globalIpv6, address) && !includes(specialIpv6, address)
}

/**
 * Returns the IPv4 address to which a translator leads an address of the network `64:ff9b::/96`, where a name server with
 * DNS64 finds receivers that have IPv4 only; other addresses stay.
 * @example fromNat64('64:ff9b::7f00:1') // '127.0.0.1'
 */
function fromNat64(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address
  const { hostname } = new URL(`http://[${address}]/`)
  const match = /^\[64:ff9b::(?:([0-9a-f]+):)?([0-9a-f]*)\]$/.exec(hostname)
  if (match === null) return address
  const [high, low] = [match[1], match[2]].map((group) => Number.parseInt(group || '0', 16)) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function includes(list: BlockList, address: string): boolean {
  const family = isIP(address)
  // An address with a zone, such as `fe80::1%eth0`, belongs to no network.
  if (family === 0 || address.includes('%')) return false
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const isIpv4 = isIP(address) === 4
    list.addSubnet(address, Number(prefix ?? (isIpv4 ? 32 : 128)), isIpv4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Returns the host of a URL as an IP address; undefined if it is a name. */
export function ipOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? undefined : host
}
