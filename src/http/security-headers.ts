import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

const ONE_YEAR_SECONDS = 365 * 24 * 3600

const setHeaders = helmet({
  // Answers are data: whoever opens one in a browser may load, frame and submit nothing.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // Browsers heed it over https only. Other services of the domain decide for themselves.
  strictTransportSecurity: { maxAge: ONE_YEAR_SECONDS, includeSubDomains: false },
})

/**
 * The headers of helmet that every answer carries, taken once: they are the same for all, also for answers that no
 * hook of Fastify sees.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = readHeaders()

function readHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => {},
  }
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return headers
}
