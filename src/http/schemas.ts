import { type TProperties, type TSchema, Type } from '@sinclair/typebox'

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

/** The answers of a route: its success and the errors that it shares with all others. */
export function answers<T extends TSchema, E extends Record<number, TSchema> = Record<never, never>>(
  success: T,
  errors?: E,
) {
  return { 200: success, '4xx': ErrorBody, '5xx': ErrorBody, ...errors } as {
    200: T
    '4xx': typeof ErrorBody
    '5xx': typeof ErrorBody
  } & E
}
