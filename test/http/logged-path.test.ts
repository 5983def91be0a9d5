import t from 'tap'
import { loggedPath } from '../../src/http/logged-path.js'

t.test('is the path without the query, with codes of proofs and calendars masked', async (t) => {
  for (const [url, path] of [
    ['/api/decks', '/api/decks'],
    ['/api/search?q=Krankheit', '/api/search'],
    ['/api/auth/oidc/callback?code=a.b&state=c%20d', '/api/auth/oidc/callback'],
    ['/t/api/mail/unsubscribe?key=N1mZ&a=b', '/t/api/mail/unsubscribe'],
    ['/x#id_token=4', '/x'],
    ['/x?a\n?b', '/x'],
    ['/nachweis/AB7K9QF2M4X8ZC6T3VN5HRWDJE', '/nachweis/***'],
    ['/nachwe%69s/AB7K9QF2M4X8ZC6T3VN5HRWDJ%45', '/nachweis/***'],
    ['/nachweis%2FAB7K9QF2M4X8ZC6T3VN5HRWDJE', '/nachweis/***'],
    ['/training/nachweis/AB7K-9QF2-M4X8-ZC6T-3VN5-HRWD-JE?x=1', '/training/nachweis/***'],
    ['/api/proofs/verify/AB7K9QF2M4X8ZC6T3VN5HRWDJE', '/api/proofs/verify/***'],
    ['/api/proofs/AB7K9QF2M4X8ZC6T3VN5HRWDJE.pdf', '/api/proofs/***'],
    ['/api/proofs/AB7K9QF2M4X8ZC6T3VN5HRWDJE/revoke', '/api/proofs/***/revoke'],
    ['/a/api/calendar/N1mZkQ0dUuG3w7C-_xPq9Yb2sV5tR8eLaJfHoIyKcTw.ics?x=1', '/a/api/calendar/***'],
    ['/api/calendar/token', '/api/calendar/token'],
    ['/decks/%E4%ZZ', '/decks/%E4%ZZ'],
    ['/nachweis/AB7K9QF2M4X8ZC6T3VN5HRWDJE%ZZ', '/nachweis/***'],
    ['', ''],
    ['/suche/%C3%BC', '/suche/ü'],
    ['/api/proofs/mine', '/api/proofs/mine'],
    ['/decks/nachweis-fuehren-im-betrieb', '/decks/nachweis-fuehren-im-betrieb'],
  ]) {
    t.equal(loggedPath(url as string), path)
  }
})

t.test('masks a secret in any spelling of its path', async (t) => {
  const token = 'N1mZkQ0dUuG3w7C-_xPq9Yb2sV5tR8eLaJfHoIyKcTw'
  for (const path of [
    ...['/api//calendar/TOKEN.ics', '/api/./calendar/TOKEN.ics', '/api/calendar/./TOKEN.ics', '//api/calendar//TOKEN'],
    ...['/api/calendar/x/../TOKEN.ics', '/api/x/../calendar/TOKEN.ics', '/API/Calendar/TOKEN.ICS'],
    ...[
      '/api/calendar/TOKEN.ics/',
      '/api/calendar/TOKEN.ics/more',
      '/api/calendar/TOKEN',
      '/api/calendar/TOKEN.ics%0A',
    ],
    ...[
      '/api%2fcalendar%2FTOKEN.ics',
      '/api/calendar%252FTOKEN.ics',
      '/api/calendar%5CTOKEN.ics',
      '/api/c%61lendar/TOKEN',
    ],
    ...['/api/calendar%25252fTOKEN.ics', '/api/calendar%2F%E4TOKEN.ics', '/api\\calendar\\TOKEN.ics'],
    ...['/api/calendar;v=1/TOKEN.ics', '/api/calendar%20/TOKEN.ics', '/api/calendar/%zzTOKEN.ics'],
    ...['/api/proofs/verify//TOKEN', '/api/proofs//TOKEN.pdf', '/Nachweis/TOKEN/', '/nachweis//TOKEN'],
  ]) {
    const logged = loggedPath(path.replace('TOKEN', token))
    t.notMatch(logged, token.slice(0, 8), path)
    t.match(logged, '***', path)
  }
})
