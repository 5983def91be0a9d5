/**
 * What every answer carries, also those that no hook of Fastify sees: what helmet sends, compared with it by
 * test/http/security-headers.test.ts. Where it differs from helmet's defaults the line says why.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  // Answers are data: whoever opens one in a browser may load, frame and submit nothing.
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  // Browsers heed it over https only. Other services of the domain decide for themselves.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}
