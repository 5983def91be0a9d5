import { errors } from 'jose'
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { SignInFault, type SignInFaultCode } from '../../domain/sign-in/faults.js'

const MAX_DESCRIPTION = 200

/**
 * Converts an error of the libraries or the network to a fault. The message of the fault contains the reason for the
 * log.
 * @param hidden secrets and codes that may occur in the error; they are replaced with `***`
 */
export function explain(error: unknown, hidden: string[]): SignInFault {
  if (error instanceof SignInFault) return error
  const { code, reason } = describe(error)
  const secrets = hidden.filter((secret) => secret !== '')
  return new SignInFault(
    code,
    secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reason),
  )
}

function describe(error: unknown): { code: SignInFaultCode; reason: string } {
  if (error instanceof AuthorizationResponseError) {
    return { code: error.error === 'access_denied' ? 'abgebrochen' : 'anbieter', reason: providerText(error) }
  }
  if (error instanceof ResponseBodyError) {
    // `invalid_grant`: the code was used, has expired or belongs to another sign-in.
    const code = error.error === 'invalid_grant' ? 'abgelaufen' : error.status >= 500 ? 'nicht_erreichbar' : 'anbieter'
    return { code, reason: providerText(error) }
  }
  const reason = reasonOf(error)
  if (error instanceof errors.JWKSTimeout) return { code: 'nicht_erreichbar', reason }
  if (error instanceof errors.JOSEError) {
    // jose uses the generic code if the response of the provider is not a key set.
    return { code: error.code === 'ERR_JOSE_GENERIC' ? 'nicht_erreichbar' : 'ungueltig', reason }
  }
  return { code: isOfNetwork(error) ? 'nicht_erreichbar' : 'ungueltig', reason }
}

/** Returns the provider's error code and description, limited to printable ASCII because the text is logged. */
function providerText({ error, error_description = '' }: { error: string; error_description?: string }): string {
  return `the provider says ${error}: ${error_description}`.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_DESCRIPTION)
}

function reasonOf(error: unknown): string {
  const parts: string[] = []
  for (let cause = error; cause instanceof Error && parts.length < 4; cause = cause.cause) {
    const { code } = cause as { code?: unknown }
    parts.push(typeof code === 'string' ? `${code} ${cause.message}` : cause.message)
  }
  return parts.join(': ')
}

const NETWORK_CODES = new Set<unknown>([
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'],
  ...['OAUTH_PARSE_ERROR'],
])

function isOfNetwork(error: unknown): boolean {
  // Node's `fetch` throws this error for every fault below HTTP, such as a refused connection.
  const isFetch = error instanceof TypeError && error.message === 'fetch failed'
  return isFetch || (error instanceof ClientError && NETWORK_CODES.has(error.code))
}
