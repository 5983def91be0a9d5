import t from 'tap'
import { hideSecrets } from '../../src/http/hide-secrets.js'

t.test('redacts secrets of a sign-in and codes of proofs and calendars in addresses and nothing else', async (t) => {
  for (const [url, hidden] of [
    ['/api/auth/oidc/callback?code=a.b&state=c%20d&iss=x', '/api/auth/oidc/callback?code=***&state=***&iss=x'],
    ['/x?a=1&CODE=2;id_token=3#id_token=4', '/x?a=1&CODE=***;id_token=***#id_token=4'],
    ['/x?session_state=1&logout_token=2&client_secret=3', '/x?session_state=***&logout_token=***&client_secret=***'],
    ['/x?encode=1&statement=2&q=code', '/x?encode=1&statement=2&q=code'],
    ['/x?%63ode=secret&%73%54ate=secret', '/x?code=***&sTate=***'],
    ['/x?code[]=secret&state%5B0%5D=secret&nonce[=secret', '/x?code[]=***&state[0]=***&nonce[=***'],
    ['/x?+code=secret&code+=secret&code%3Dsecret', '/x? code=***&code =***&code=***'],
    ['/x?a?code=sec?ret&b=1%26code=secret', '/x?a?code=***&b=1&code=***'],
    ['/x?%E4=1&%00=%ZZ&q=%63ode', '/x?%E4=1&%00=%ZZ&q=%63ode'],
    ['/nachweis/AB7K9QF2M4X8ZC6T3VN5HRWDJE', '/nachweis/***'],
    ['/training/nachweis/AB7K-9QF2-M4X8-ZC6T-3VN5-HRWD-JE?x=1', '/training/nachweis/***?x=1'],
    ['/api/proofs/verify/AB7K9QF2M4X8ZC6T3VN5HRWDJE', '/api/proofs/verify/***'],
    ['/api/proofs/AB7K9QF2M4X8ZC6T3VN5HRWDJE.pdf', '/api/proofs/***'],
    ['/api/proofs/AB7K9QF2M4X8ZC6T3VN5HRWDJE/revoke', '/api/proofs/***/revoke'],
    ['/api/proofs/export?purpose=Audit', '/api/proofs/export?purpose=Audit'],
    ['/a/api/calendar/N1mZkQ0dUuG3w7C-_xPq9Yb2sV5tR8eLaJfHoIyKcTw.ics?x=1', '/a/api/calendar/***?x=1'],
    ['/api/calendar/token', '/api/calendar/token'],
    ['/t/api/mail/unsubscribe?key=N1mZ&a=b', '/t/api/mail/unsubscribe?***'],
    ['/api/mail/unsubscribe/?key=N1mZ', '/api/mail/unsubscribe/?***'],
    ['/x', '/x'],
    ['', ''],
  ]) {
    t.equal(hideSecrets(url as string), hidden)
  }
})
