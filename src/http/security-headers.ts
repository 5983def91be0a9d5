/**
 * Default headers of every response, including those that bypass Fastify's hooks. A route may override them, as the
 * pages of the web app do with the CSP. test/http/security-headers.test.ts compares them with helmet.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  // Responses are data: if a browser opens one as a page, it must not load, frame or submit anything.
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  // Browsers ignore this header over http. `includeSubDomains` would affect other services of the domain.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}
