import t from 'tap'
import { hideSecrets } from '../../src/http/hide-secrets.js'

t.test('what a provider sends in an address is not logged, and everything else is', async (t) => {
  for (const [url, hidden] of [
    ['/api/auth/oidc/callback?code=a.b&state=c%20d&iss=x', '/api/auth/oidc/callback?code=***&state=***&iss=x'],
    ['/x?a=1&CODE=2;id_token=3#id_token=4', '/x?a=1&CODE=***;id_token=***#id_token=4'],
    ['/x?session_state=1&logout_token=2&client_secret=3', '/x?session_state=***&logout_token=***&client_secret=***'],
    ['/x?encode=1&statement=2&q=code', '/x?encode=1&statement=2&q=code'],
    ['/x', '/x'],
    ['', ''],
  ]) {
    t.equal(hideSecrets(url as string), hidden)
  }
})
