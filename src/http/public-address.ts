import type { FastifyRequest } from 'fastify'

export interface PublicAddress {
  /** URL of the app with a trailing slash; undefined to derive it from the request */
  publicUrl: string | undefined
  basePath: string
}

export function publicAddressOf(request: FastifyRequest, path: string, { publicUrl, basePath }: PublicAddress): URL {
  // The Host header may be invalid; the URL then has the host `localhost`.
  const origin = `${request.protocol}://${request.host}`
  return new URL(path, publicUrl ?? new URL(basePath, URL.canParse(origin) ? origin : 'http://localhost'))
}
