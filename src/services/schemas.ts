import { type TSchema, Type } from '@sinclair/typebox'
import type { Details } from '../domain/refusal.js'

/** Returns the schema extended by null. A list of types serialises faster than `anyOf`. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<T['static'] | null>({ ...schema, type: [schema.type, 'null'] })
}

/** Values of a message for programs */
export const DETAILS = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  description: 'Values of the message.',
} as const

/** What a program needs to say a finding in another language */
export const FINDING_CODE = {
  code: Type.Optional(
    Type.String({
      description: 'Stable name; absent where only the German message describes the finding.',
      examples: ['few_options'],
    }),
  ),
  details: Type.Optional(Type.Unsafe<Details>(DETAILS)),
}
