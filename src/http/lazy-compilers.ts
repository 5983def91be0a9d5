import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Factories = Required<NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>>

// biome-ignore lint/suspicious/noExplicitAny: input and output are internal to Fastify and its compilers
type Compiled = { (data: any): any; errors?: unknown }
// biome-ignore lint/suspicious/noExplicitAny: as above
type Build = (...options: any[]) => (route: any) => Compiled

/**
 * Returns Fastify's default compilers, but compiles each schema when a request first needs it. Compiling the schemas of
 * all routes at the start takes 0.8 s of processor time, a quarter of the start.
 */
export function lazyCompilers(): { compilersFactory: Factories } {
  return {
    compilersFactory: {
      buildValidator: compileLazily(AjvCompiler() as Build) as Factories['buildValidator'],
      buildSerializer: compileLazily(SerializerSelector() as Build) as Factories['buildSerializer'],
    },
  }
}

function compileLazily(build: Build): Build {
  return (...options) => {
    const compile = once(() => build(...options))
    return (route) => {
      const compiled = once(() => compile()(route))
      const lazy: Compiled = (data) => {
        const own = compiled()
        const answer = own(data)
        // Callers read the errors of an Ajv validator from this property.
        lazy.errors = own.errors
        return answer
      }
      return lazy
    }
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
