import t from 'tap'
import { createAddressRules, ipOf, isPublic } from '../../../src/domain/webhooks/networks.js'

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.63.255.255', '100.128.0.1', '198.20.0.1', '223.255.255.255']
const PUBLIC_IPV6 = ['2606:4700::1111', '2a00:1450:4001::1', '2001:200::1', '3fff:1000::1']

/** Addresses that are not reachable from everywhere, or lead to such addresses */
const SPECIAL = [
  ...[
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...['192.168.0.1', '169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.7', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  '255.255.255.255',
]
const SPECIAL_IPV6 = [
  ...['::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd12:3456::1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:127.0.0.1'],
  ...[
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2002:7f00:1::1',
    '2002:a00:1::',
    '2001::1',
    '2001:db8::1',
  ],
  ...['100::1', '3fff::1', '5f00::1'],
]

t.test('tells public addresses from special ones', async (t) => {
  for (const address of [...PUBLIC, ...PUBLIC_IPV6]) t.equal(isPublic(address), true, address)
  for (const address of [...SPECIAL, ...SPECIAL_IPV6]) t.equal(isPublic(address), false, address)
  t.equal(isPublic('localhost'), false)
})

t.test('without allowed networks, only encrypted connections to public addresses are allowed', async (t) => {
  const { mayReach, mayBePlain } = createAddressRules([])
  t.equal(mayBePlain, false)
  for (const address of [...PUBLIC, ...PUBLIC_IPV6]) {
    t.equal(mayReach(address, true), true, address)
    t.equal(mayReach(address, false), false, address)
  }
  for (const address of [...SPECIAL, ...SPECIAL_IPV6]) t.equal(mayReach(address, true), false, address)
})

t.test('allowed networks are reachable in any form, also without encryption', async (t) => {
  const { mayReach, mayBePlain } = createAddressRules(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32', '64:ff9b::/96'])
  t.equal(mayBePlain, true)
  for (const address of [
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '::ffff:a01:203',
    '127.0.0.1',
    'fd00:1::7',
    '64:ff9b::10.1.2.3',
  ]) {
    t.equal(mayReach(address, false), true, address)
    t.equal(mayReach(address, true), true, address)
  }
  for (const address of ['10.2.0.1', '127.0.0.2', 'fd00:2::7', '::1', 'fd00:1::7%eth0', '64:ff9b::10.2.0.1']) {
    t.equal(mayReach(address, true), false, address)
  }
  t.equal(mayReach('8.8.8.8', false), false, 'a public address needs encryption')
})

t.test('an address of NAT64 is judged by the IPv4 address that it contains', async (t) => {
  const { mayReach } = createAddressRules([])
  for (const address of ['64:ff9b::8.8.8.8', '64:ff9b:0:0:0:0:808:808', '64:FF9B::808:0']) {
    t.equal(mayReach(address, true), true, address)
    t.equal(mayReach(address, false), false, address)
  }
  const special = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.1', '0.0.0.0', '192.168.0.0']
  for (const address of [...special.map((ipv4) => `64:ff9b::${ipv4}`), '64:ff9b::8.8.8.8%eth0', '64:ff9b:0:0:1::808']) {
    t.equal(mayReach(address, true), false, address)
  }
})

t.test('finds the IP address of a URL in any notation', async (t) => {
  for (const [url, ip] of [
    ['https://127.0.0.1/', '127.0.0.1'],
    ['https://0x7f.1/', '127.0.0.1'],
    ['https://2130706433/', '127.0.0.1'],
    ['https://017700000001/', '127.0.0.1'],
    ['https://[::1]/', '::1'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', '::ffff:7f00:1'],
    ['https://①②⑦.0.0.1/', '127.0.0.1'],
    ['https://localhost/', undefined],
    ['https://127.0.0.1.example.org/', undefined],
  ] as const) {
    t.equal(ipOf(new URL(url)), ip, url)
  }
})
