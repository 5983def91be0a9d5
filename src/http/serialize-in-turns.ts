import type { FastifyReply } from 'fastify'
import { runInTurns } from '../services/content/turns.js'

/** Number of elements that are serialised in one step; a response needs a longer list to be serialised in steps. */
const ELEMENTS_AT_ONCE = 50

type Body = Record<string, unknown>

interface LongList {
  elements: readonly unknown[]
  /** Returns the response with other elements in place of the list. */
  withElements(elements: readonly unknown[]): Body
}

/**
 * Serialises a response with one long list, in any object of the response, in turns, so that other requests do not wait.
 * The text is that of `reply.serialize(response)`, as a buffer, because the encoding of a long string would block as well.
 * Returns any other value unchanged.
 */
export async function serializeInTurns(reply: FastifyReply, response: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isPlainObject(response)) return response
  const [list, ...others] = findLongLists(response)
  if (list === undefined || others.length > 0) return response
  const json = await runInTurns(serializeInSteps(reply, list), signal)
  if (json === undefined) return response
  reply.type('application/json; charset=utf-8')
  return json
}

function isPlainObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function findLongLists(body: Body): LongList[] {
  return Object.entries(body).flatMap(([key, value]): LongList[] => {
    if (Array.isArray(value) && value.length > ELEMENTS_AT_ONCE) {
      return [{ elements: value, withElements: (elements) => ({ ...body, [key]: elements }) }]
    }
    if (!isPlainObject(value)) return []
    return findLongLists(value).map(({ elements, withElements }) => ({
      elements,
      withElements: (others) => ({ ...body, [key]: withElements(others) }),
    }))
  })
}

/** Yields after each batch of elements. Returns undefined if the schema omits the list. */
function* serializeInSteps(
  reply: FastifyReply,
  { elements, withElements }: LongList,
): Generator<void, Buffer | undefined> {
  const serialize = (batch: readonly unknown[]) => String(reply.serialize(withElements(batch)))
  const empty = serialize([])
  // The text with an element first differs where the elements begin.
  const start = lengthOfCommonStart(empty, serialize(elements.slice(0, 1)))
  if (start === empty.length) return undefined
  const end = empty.length - start
  const pieces = [Buffer.from(empty.slice(0, start))]
  for (let first = 0; first < elements.length; first += ELEMENTS_AT_ONCE) {
    const batch = serialize(elements.slice(first, first + ELEMENTS_AT_ONCE)).slice(start, -end)
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
