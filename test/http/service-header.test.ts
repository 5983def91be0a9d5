import t from 'tap'
import { SERVICE_HEADER } from '../../src/http/service-header.js'
import { startService } from '../support/service.js'

t.test('every response proves that the service has sent it', async (t) => {
  const { anonymous } = await startService(t)
  for (const url of ['/healthz', '/openapi.json', '/api/auth/methods', '/api/decks', '/nowhere', '/']) {
    const { headers, status } = await anonymous.send({ method: 'GET', url })
    t.match(headers, SERVICE_HEADER, `${url} (${status})`)
  }
})
