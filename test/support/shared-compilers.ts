import { lazyCompilers } from '../../src/http/lazy-compilers.js'

const { buildValidator, buildSerializer } = lazyCompilers().compilersFactory

/**
 * The service's schema compilers with a cache per process, because the tests build about a hundred apps with the same
 * schemas
 */
export const SHARED_COMPILERS = {
  compilersFactory: {
    buildValidator: share(buildValidator) as typeof buildValidator,
    buildSerializer: share(buildSerializer) as typeof buildSerializer,
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
