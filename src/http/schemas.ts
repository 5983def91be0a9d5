import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { ComeBackLater, type HttpError, ProofTooOld } from '../domain/refusals.js'

/** An instant; the JSON is ISO 8601 in UTC. */
export const Timestamp = Type.Unsafe<Date>({
  type: 'string',
  format: 'date-time',
  examples: ['2026-11-21T08:00:00.000Z'],
})

/** A title is the name of the schema below `components` in the OpenAPI document. */
export const User = Type.Object(
  {
    id: Type.Integer({ examples: [7] }),
    username: Type.String({ examples: ['erika'] }),
    display_name: Type.String({ examples: ['Erika Muster'] }),
    is_admin: Type.Boolean(),
    created_at: Timestamp,
  },
  { title: 'User' },
)

const errorFields = {
  statusCode: Type.Integer({ examples: [400] }),
  error: Type.String({ description: 'The English name of the status.', examples: ['Bad Request'] }),
  message: Type.String({ description: 'German, for people.', examples: ['Ungültiger JSON-Inhalt'] }),
  requestId: Type.Optional(Type.String({ description: 'Only with 5xx: the id in the log.' })),
}

/** The body of every error answer. */
export const ErrorBody = Type.Object(errorFields, { title: 'Error' })

/** An error body with more keys. */
export function errorWith<T extends TProperties>(fields: T, title: string) {
  return Type.Object({ ...errorFields, ...fields }, { title })
}

export const Done = Type.Object({ ok: Type.Literal(true, { examples: [true] }) })

/** The same schema, or null: by a list of types, which serialises faster than `anyOf`. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<T['static'] | null>({ ...schema, type: [schema.type, 'null'] })
}

/** A text that may be absent, of a query or a body. */
export function optional(description: string, example: string) {
  return Type.Optional(Type.String({ description, examples: [example] }))
}

/** Where `answers` keeps what the OpenAPI document is to say of refusals. */
export const REFUSALS_KEY = 'x-refusals'

/**
 * The answers of a route: its success, what it refuses besides what all routes refuse, and error bodies of its own.
 */
export function answers<T extends TSchema, E extends Record<number, TSchema> = Record<never, never>>(
  success: T,
  refusals: HttpError[] = [],
  bodies?: E,
) {
  const refused = refusals.length === 0 ? ErrorBody : { ...ErrorBody, [REFUSALS_KEY]: refusals.map(describeRefusal) }
  return { 200: success, '4xx': refused, '5xx': ErrorBody, ...bodies } as {
    200: T
    '4xx': typeof ErrorBody
    '5xx': typeof ErrorBody
  } & E
}

/** The answers of a route that leads a browser elsewhere. */
export function redirects(description: string) {
  const headers = { Location: { type: 'string', description: 'Where to go.' } }
  return { 302: Type.Null({ description, headers }), '4xx': ErrorBody, '5xx': ErrorBody }
}

/** A refusal as the OpenAPI document needs it. */
export interface DescribedRefusal {
  status: number
  title: string
  message: string
  isForLater: boolean
  /** The value of `WWW-Authenticate`. */
  challenge?: string
}

export function describeRefusal(refusal: HttpError): DescribedRefusal {
  const { statusCode, title, message } = refusal
  if (title === undefined) throw new Error(`A refusal needs a title to be declared: ${message}`)
  return {
    status: statusCode,
    title,
    message,
    isForLater: refusal instanceof ComeBackLater,
    ...(refusal instanceof ProofTooOld && { challenge: refusal.challenge }),
  }
}
