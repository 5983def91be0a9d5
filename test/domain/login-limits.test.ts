import t from 'tap'
import { networkOf, siteOf } from '../../src/domain/accounts/login-limits.js'
import { bearerOf, createToken, hashToken } from '../../src/domain/accounts/tokens.js'

t.test('groups addresses by network', async (t) => {
  for (const [address, network] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:2::', '2001:db8:1:2::'],
    ['::1', '::'],
    ['unknown', 'unknown'],
    ['', ''],
    [undefined, ''],
    ['x'.repeat(1_000), 'x'.repeat(64)],
  ]) {
    t.equal(networkOf(address), network, `${address}`)
  }
})

t.test('returns the /48 network of an IPv6 address, and none for other addresses', async (t) => {
  for (const [address, site] of [
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['::1', '::/48'],
    ['::ffff:203.0.113.7', undefined],
    ['203.0.113.7', undefined],
    ['unknown', undefined],
    [undefined, undefined],
  ]) {
    t.equal(siteOf(address), site, `${address}`)
  }
})

t.test('parses Bearer headers', async (t) => {
  for (const [header, token] of [
    ['Bearer abc', 'abc'],
    ['BEARER   abc ', 'abc'],
    ['Bearer', ''],
    ['Bearer ', ''],
    ['Bearerabc', undefined],
    ['Basic abc', undefined],
    ['', undefined],
    [undefined, undefined],
  ]) {
    t.equal(bearerOf(header), token, `${header}`)
  }
})

t.test('looks up only well-formed tokens', async (t) => {
  const token = createToken()
  t.equal(hashToken(token)?.length, 32)
  t.not(createToken(), token)
  for (const text of [
    '',
    'x',
    token.slice(1),
    `${token}x`,
    token.slice(0, -1),
    `${token}\n`,
    `svct_${'ä'.repeat(43)}`,
  ]) {
    t.equal(hashToken(text), undefined, text)
  }
})
