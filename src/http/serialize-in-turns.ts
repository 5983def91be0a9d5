import type { FastifyReply } from 'fastify'
import { runInTurns } from '../services/content/turns.js'

/** Number of elements that are serialised in one step; a response needs a longer list to be serialised in steps. */
const ELEMENTS_AT_ONCE = 50

type Body = Record<string, unknown>

/**
 * Serialises a response with one long list in turns, so that other requests do not wait. The text is that of
 * `reply.serialize(response)`, as a buffer, because the encoding of a long string would block as well. Returns any other
 * value unchanged.
 */
export async function serializeInTurns(reply: FastifyReply, response: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isPlainObject(response)) return response
  const [list, ...others] = Object.entries(response).filter(([, value]) => isLong(value))
  if (list === undefined || others.length > 0) return response
  const json = await runInTurns(serializeInSteps(reply, response, list[0], list[1] as unknown[]), signal)
  if (json === undefined) return response
  reply.type('application/json; charset=utf-8')
  return json
}

function isPlainObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function isLong(value: unknown): boolean {
  return Array.isArray(value) && value.length > ELEMENTS_AT_ONCE
}

/** Yields after each batch of elements. Returns undefined if the schema omits the list. */
function* serializeInSteps(
  reply: FastifyReply,
  response: Body,
  key: string,
  list: readonly unknown[],
): Generator<void, Buffer | undefined> {
  const serialize = (elements: readonly unknown[]) => String(reply.serialize({ ...response, [key]: elements }))
  const empty = serialize([])
  // The text with an element first differs where the elements begin.
  const start = lengthOfCommonStart(empty, serialize(list.slice(0, 1)))
  if (start === empty.length) return undefined
  const end = empty.length - start
  const pieces = [Buffer.from(empty.slice(0, start))]
  for (let first = 0; first < list.length; first += ELEMENTS_AT_ONCE) {
    const batch = serialize(list.slice(first, first + ELEMENTS_AT_ONCE)).slice(start, -end)
    pieces.push(Buffer.from(first === 0 ? batch : `,${batch}`))
    yield
  }
  return Buffer.concat([...pieces, Buffer.from(empty.slice(start))])
}

function lengthOfCommonStart(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}
