import type { FastifyRequest } from 'fastify'

export interface PublicAddress {
  /** Address of the app with a slash at its end; undefined: that of the request */
  publicUrl: string | undefined
  basePath: string
}

/** Returns the public address of a path of the service, relative to the app. */
export function publicAddressOf(request: FastifyRequest, path: string, { publicUrl, basePath }: PublicAddress): URL {
  // A client may send any text as its host.
  const origin = `${request.protocol}://${request.host}`
  return new URL(path, publicUrl ?? new URL(basePath, URL.canParse(origin) ? origin : 'http://localhost'))
}
