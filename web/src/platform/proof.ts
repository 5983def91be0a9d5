/**
 * Header of every successful response of the service; gateways and portals may send JSON as well, but not this header.
 */
const HEADER = 'x-service'
const NAME = 'svc-training'
const CODE = /^[a-z]+(?:_[a-z]+)*$/

type Answer = Pick<Response, 'ok' | 'headers'>

/** Returns the error code of the service; undefined if the response has none. */
export function codeOf({ ok, headers }: Answer): string | undefined {
  const code = headers.get('x-error-code')
  return !ok && code !== null && CODE.test(code) ? code : undefined
}

/** Whether the service has sent the response: a success is proven by the header, a refusal by its error code */
export function isOwn(answer: Answer): boolean {
  return answer.ok ? answer.headers.get(HEADER) === NAME : codeOf(answer) !== undefined
}
