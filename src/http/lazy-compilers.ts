import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Factories = Required<NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>>

// biome-ignore lint/suspicious/noExplicitAny: what goes in and comes out is between Fastify and its compilers
type Build = (...options: any[]) => (route: any) => (data: any) => any

const validators = AjvCompiler() as Build
const serializers = SerializerSelector() as Build

const validateLate: Build = (...options) => {
  const compile = once(() => validators(...options))
  return (route) => {
    const compiled = once(() => compile()(route) as ReturnType<ReturnType<Build>> & { errors?: unknown })
    return (data) => {
      const isValid = compiled()
      return isValid(data) || { error: isValid.errors }
    }
  }
}

const serializeLate: Build = (...options) => {
  const compile = once(() => serializers(...options))
  return (route) => {
    const compiled = once(() => compile()(route))
    return (data) => compiled()(data)
  }
}

/**
 * Fastify's own compilers, but each schema is compiled when a request first needs it: all of them at once are a tenth of
 * a start. That all of them can be compiled is for the tests to see, whose apps compile them at once.
 */
export const LAZY_COMPILERS = {
  compilersFactory: {
    buildValidator: validateLate as Factories['buildValidator'],
    buildSerializer: serializeLate as Factories['buildSerializer'],
  },
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
