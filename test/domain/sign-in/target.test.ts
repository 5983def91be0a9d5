import t from 'tap'
import { faultAddress, pageAddress, parseTarget } from '../../../src/domain/sign-in/target.js'
import fc, { runs } from '../../support/property.js'

const PIECES = [
  ...['/', '\\', '//', '.', '..', '%2f', '%5C', '%252f', '%2e%2E', '%09', '%0a', '\t', '\n', '\r', '\0', '%00', '%'],
  ...['evil.example', '@', ':', 'https:', 'javascript:', '?', '#', 'decks', 'api', 'ä', '%C3%A4', ' ', '\u2028', '；'],
]
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((all) => all.join(''))

t.test('property: the result is always a page below the base', async () => {
  for (const base of ['/', '/training/']) {
    const origin = 'https://training.example.org'
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          hostile.map((text) => `/${text}`),
          fc.string(),
          fc.webUrl(),
        ),
        (text) => {
          const address = pageAddress(base, parseTarget(text))
          const url = new URL(address, `${origin}/api/auth/oidc/callback`)
          // A header cannot contain control characters. Browsers remove tabs and line breaks from an address, and treat
          // a backslash as a slash.
          const plain = !/[\p{Cc}\\]/u.test(address)
          return plain && url.origin === origin && url.pathname.startsWith(base) && !url.pathname.startsWith('//')
        },
      ),
      { numRuns: runs(300) },
    )
  }
})

t.test('keeps a page of the app', async (t) => {
  const word = fc.stringMatching(/^[a-z0-9-]{1,8}$/)
  const path = fc
    .tuple(fc.array(word, { maxLength: 4 }), fc.option(word, { nil: undefined }), fc.option(word, { nil: undefined }))
    .map(([parts, query, hash]) => `/${parts.join('/')}${query ? `?q=${query}` : ''}${hash ? `#${hash}` : ''}`)
    .filter((text) => !/^\/api([/?#]|$)/.test(text))
  fc.assert(fc.property(path, (text) => parseTarget(text) === text))
  t.equal(parseTarget(undefined), '/')
  t.equal(parseTarget('/decks/ä'), '/decks/%C3%A4')
})

t.test('refuses the API in any spelling, and long targets', async (t) => {
  for (const text of ['/api', '/api/auth/oidc/start?link=true', '/%61pi/auth/oidc/start?link=true', '/%2561PI/x']) {
    t.equal(parseTarget(text), '/', text)
  }
  t.equal(parseTarget('/apis/x'), '/apis/x')
  t.equal(parseTarget(`/${'x'.repeat(499)}`).length, 500)
  t.equal(parseTarget(`/${'x'.repeat(500)}`), '/')
  t.equal(parseTarget(`/${'ä'.repeat(300)}`), '/', 'as it is sent to the provider')
})

t.test('refuses a target outside the app', async (t) => {
  for (const text of [
    ...['//evil.example', '/\\evil.example', '\\\\evil.example', 'https://evil.example', 'javascript:alert(1)'],
    ...['/%2F/evil.example', '/%5Cevil.example', '/%252F%252Fevil', '/\t/evil.example', '/\n/evil', '/%09/evil'],
    ...['/.//evil.example', '/..//evil', '/a/../../evil', '/%2e%2e/evil', '/decks//evil', '/api/auth/logout', 'decks'],
    ...['/%', '/%ff', '/\u0000', `/${'x'.repeat(3_000)}`, '/%E2%80%A8\u0007'],
  ]) {
    t.equal(parseTarget(text), '/', text)
  }
})

t.test('a refusal leads to the login page, which knows the target', async (t) => {
  t.equal(faultAddress('/', 'abgelaufen', '/'), '/anmelden?fehler=abgelaufen')
  t.equal(faultAddress('/a/', 'abgelaufen', '/b?c=d'), '/a/anmelden?fehler=abgelaufen&weiter=%2Fb%3Fc%3Dd')
})
