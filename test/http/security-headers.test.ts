import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'
import t from 'tap'
import { SECURITY_HEADERS } from '../../src/http/security-headers.js'

t.test('the headers equal those of helmet', async (t) => {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const setHeaders = helmet({
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
    strictTransportSecurity: { maxAge: 365 * 24 * 3600, includeSubDomains: false },
  })
  await new Promise((resolve) => setHeaders(request, response, resolve))
  t.strictSame({ ...response.getHeaders() }, SECURITY_HEADERS)
})
