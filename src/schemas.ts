import { type TSchema, Type } from '@sinclair/typebox'

/** An instant; the JSON is ISO 8601 in UTC. */
export const Timestamp = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

export const User = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  display_name: Type.String(),
  is_admin: Type.Boolean(),
  created_at: Timestamp,
})

export const ErrorBody = Type.Object({
  statusCode: Type.Integer(),
  error: Type.String({ description: 'The English name of the status.' }),
  message: Type.String({ description: 'German, for people.' }),
  requestId: Type.Optional(Type.String({ description: 'Only with 5xx: the id in the log.' })),
})

export const Done = Type.Object({ ok: Type.Literal(true) })

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
