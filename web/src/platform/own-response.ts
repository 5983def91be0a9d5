/**
 * Header of every successful response of the service. Gateways and captive portals may also send JSON, but not this
 * header.
 */
const HEADER = 'x-service'
const NAME = 'svc-training'
const CODE = /^[a-z]+(?:_[a-z]+)*$/

type Received = Pick<Response, 'ok' | 'headers'>

/** Returns the error code of a refusal by the service; undefined for all other responses. */
export function codeOf({ ok, headers }: Received): string | undefined {
  const code = headers.get('x-error-code')
  return !ok && code !== null && CODE.test(code) ? code : undefined
}

/** Returns whether the service has sent the response: a successful one has the header, a refusal has an error code. */
export function isOwn(response: Received): boolean {
  return response.ok ? response.headers.get(HEADER) === NAME : codeOf(response) !== undefined
}
