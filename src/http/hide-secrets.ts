/** Query parameters of a sign-in callback that must not be logged (RFC 6749, OpenID Connect Core 1.0) */
const NAMES =
  'code|state|nonce|session_state|access_token|refresh_token|id_token|id_token_hint|logout_token|client_secret|error_description'
/** A parameter of one of these names, also as `name[]`, and all that follows. */
const SECRET = new RegExp(`((?:^|[?&;])\\s*(?:${NAMES})\\s*(?:\\[[^\\]]*\\]?)?\\s*=).*$`, 'is')
const PARAMETER = /([?&;])([^&;#]*)/g
/** An escape of a printable ASCII character. */
const ESCAPE = /%(?:2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi

/** The key of the mails about due cards. */
const MAIL_KEY = /(\/api\/mail\/unsubscribe\/?)\?.*$/s

/** The code of a proof or the token of a calendar in a path, which opens it to everybody. */
const OPEN_CODE = /(\/(?:nachweis|proofs\/verify|proofs|api\/calendar)\/)([^/?#]{16,})/g

/**
 * Returns the URL of a request as the log may show it. Names are compared as the router decodes them.
 * @example hideSecrets('/callback?%63ode=a&iss=b') // '/callback?code=***&iss=b'
 */
export function hideSecrets(url: string): string {
  return url
    .replace(MAIL_KEY, '$1?***')
    .replaceAll(OPEN_CODE, '$1***')
    .replaceAll(PARAMETER, (whole, separator: string, parameter: string) => {
      const decoded = parameter.replaceAll(ESCAPE, (encoded) => decodeURIComponent(encoded)).replaceAll('+', ' ')
      return SECRET.test(decoded) ? separator + decoded.replace(SECRET, '$1***') : whole
    })
}
