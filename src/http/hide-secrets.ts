/** Parameters in which the provider of a sign-in sends what must not be kept (RFC 6749, OpenID Connect Core 1.0). */
const SECRETS =
  /([?&;](?:code|state|nonce|session_state|access_token|refresh_token|id_token|id_token_hint|logout_token|client_secret|error_description)=)[^&;#]*/gi

/** The address of a request as the log may have it. */
export function hideSecrets(url: string): string {
  return url.replaceAll(SECRETS, '$1***')
}
