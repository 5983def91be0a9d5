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
