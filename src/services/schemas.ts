import { type TSchema, Type } from '@sinclair/typebox'

/** Returns the schema extended by null. A list of types serialises faster than `anyOf`. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<T['static'] | null>({ ...schema, type: [schema.type, 'null'] })
}
