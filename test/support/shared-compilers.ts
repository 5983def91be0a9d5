import { lazyCompilers } from '../../src/http/lazy-compilers.js'

const { buildValidator, buildSerializer } = lazyCompilers().compilersFactory

/**
 * Schema compilers of the service with a cache per process: the tests build about a hundred apps with the same schemas
 */
export const SHARED_COMPILERS = {
  compilersFactory: {
    buildValidator: share(buildValidator) as typeof buildValidator,
    buildSerializer: share(buildSerializer) as typeof buildSerializer,
  },
}

// biome-ignore lint/suspicious/noExplicitAny: Fastify passes the values through to its compilers
type Build = (...options: any[]) => (route: any) => any

function share(build: Build): Build {
  const knownByOptions = new Map<string, Map<string, unknown>>()
  /** Schemas as JSON; most schema objects are constants of a module, so all apps have the same ones */
  const texts = new WeakMap<object, string>()
  const textOf = (schema: object) => {
    const text = texts.get(schema) ?? JSON.stringify(schema)
    texts.set(schema, text)
    return text
  }
  return (...options) => {
    const compile = build(...options)
    const text = JSON.stringify(options)
    const known = knownByOptions.get(text) ?? new Map<string, unknown>()
    knownByOptions.set(text, known)
    return (route: { schema: object }) => {
      const key = textOf(route.schema)
      const compiled = known.get(key) ?? compile(route)
      known.set(key, compiled)
      return compiled
    }
  }
}
