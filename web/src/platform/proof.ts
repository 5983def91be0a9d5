/** Every response of the service carries this header; gateways and portals answer JSON, too, but not with it. */
const HEADER = 'x-service'
const NAME = 'svc-training'
const CODE = /^[a-z]+(?:_[a-z]+)*$/

type Answer = Pick<Response, 'ok' | 'headers'>

/** The service's stable name for a refusal. */
export function codeOf({ ok, headers }: Answer): string | undefined {
  const code = headers.get('x-error-code')
  return !ok && code !== null && CODE.test(code) ? code : undefined
}

/** Whether the service itself has answered: a success proves that by the service's header, a refusal by its code. */
export function isOwn(answer: Answer): boolean {
  return answer.ok ? answer.headers.get(HEADER) === NAME : codeOf(answer) !== undefined
}
