import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Factories = Required<NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>>

/**
 * Fastify's own compilers of schemas, each schema compiled once a process: a process that runs test files builds a
 * hundred apps, all with the same schemas.
 */
export const SHARED_COMPILERS = {
  compilersFactory: {
    buildValidator: share(AjvCompiler()) as Factories['buildValidator'],
    buildSerializer: share(SerializerSelector()) as Factories['buildSerializer'],
  },
}

// biome-ignore lint/suspicious/noExplicitAny: what goes in and comes out is between Fastify and its compilers
type Build = (...options: any[]) => (route: any) => any

function share(build: Build): Build {
  const known = new Map<string, unknown>()
  return (...options) => {
    const compile = build(...options)
    return (route: { schema?: unknown }) => {
      const key = JSON.stringify([options, route.schema])
      const compiled = known.get(key) ?? compile(route)
      known.set(key, compiled)
      return compiled
    }
  }
}
