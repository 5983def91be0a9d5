/**
 * Headers of every response, also of those outside Fastify's hooks. test/http/security-headers.test.ts compares them
 * with helmet; differences from its defaults are explained here.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  // Responses are data: opened as a page they may load, frame and submit nothing.
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  // Browsers apply it over https only. Other services of the domain decide for themselves.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}
