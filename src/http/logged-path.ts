/** Segments whose later segments may be the code of a certificate or the token of a calendar feed */
const BEFORE_SECRET = /^(?:nachweis|proofs|calendar)(?![\w-])/i
/** Minimum length of a secret in code units; shorter segments after `BEFORE_SECRET` are names of routes */
const SECRET_LENGTH = 16
/** Bounds the work for paths that are encoded several times. */
const MAX_DECODINGS = 5

/**
 * Returns the path of a request for the log. Removes the query, which may contain search texts, names and secrets of a
 * sign-in. Masks codes of certificates and tokens of calendar feeds, which grant access without a login, also in paths
 * that no route accepts: with other separators or letter case, further segments, or encoded several times.
 * @example loggedPath('/api//Calendar/N1mZkQ0dUuG3w7C_xPq9.ics?x=1') // '/api//Calendar/***'
 */
export function loggedPath(url: string): string {
  let isSecret = false
  return decode(url.replace(/[?#].*$/s, ''))
    .split(/([/\\])/)
    .map((segment) => {
      if (isSecret && segment.length >= SECRET_LENGTH) return '***'
      if (BEFORE_SECRET.test(segment)) isSecret = true
      return segment
    })
    .join('')
}

function decode(path: string): string {
  let decoded = path
  // Decodes ASCII characters one by one, so that a malformed escape does not keep a separator encoded.
  for (let count = 0; count < MAX_DECODINGS && /%[0-7][\da-f]/i.test(decoded); count++) {
    decoded = decoded.replaceAll(/%([0-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
  return decoded.replaceAll(/(?:%[89a-f][\da-f])+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
