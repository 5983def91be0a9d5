import t from 'tap'
import {
  DELIVERY_FAULTS,
  describeOutcome,
  excerptOf,
  GIVE_UP_HOURS,
  judge,
  parseRetryAfter,
  retryDelay,
} from '../../../src/domain/webhooks/delivery.js'

const status = (code: number) => judge({ status: code, fault: null })

t.test('repeats temporary faults only, and never follows a redirect', async (t) => {
  for (const code of [200, 201, 202, 204, 299]) t.equal(status(code), 'delivered', String(code))
  for (const code of [408, 425, 429, 500, 502, 503, 599]) t.equal(status(code), 'later', String(code))
  for (const code of [301, 302, 307, 308, 304, 400, 401, 404, 410, 413, 422])
    t.equal(status(code), 'failed', String(code))
  for (const fault of DELIVERY_FAULTS) t.equal(judge({ status: null, fault }), 'later', fault)
})

t.test('the delay doubles from 5 seconds to an hour', async (t) => {
  const delays = Array.from({ length: 12 }, (_, index) => retryDelay(index + 1))
  t.strictSame(delays, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600])
  t.equal(retryDelay(1_000), 3_600)
  const day = GIVE_UP_HOURS * 3_600
  let attempts = 0
  for (let seconds = 0; seconds < day; seconds += retryDelay(attempts)) attempts++
  t.ok(attempts > 24 && attempts < 50, `${attempts} attempts in ${GIVE_UP_HOURS} hours`)
})

t.test('waits as long as the receiver asks for, at most an hour', async (t) => {
  t.equal(retryDelay(1, 120), 120)
  t.equal(retryDelay(1, 1), 5)
  t.equal(retryDelay(1, 1e9), 3_600)
  const now = new Date('2026-12-01T10:00:00Z')
  for (const [header, seconds] of [
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['120', 120],
    ['Tue, 01 Dec 2026 10:01:30 GMT', 90],
    ['Tue, 01 Dec 2026 09:00:00 GMT', 0],
  ] as const) {
    t.equal(parseRetryAfter(header, now), seconds, String(header))
  }
})

t.test('an excerpt is short, storable and without the secret part of the address', async (t) => {
  const url = new URL('https://teams.example/workflows/0815?sig=geheim-geheim')
  const text = `no route ${url.href} for /workflows/0815?sig=geheim-geheim (sig=geheim-geheim) \0\ud800`
  const excerpt = excerptOf(text, url)
  t.notMatch(excerpt, /geheim/)
  t.ok(excerpt.isWellFormed() && !excerpt.includes('\0'))
  t.equal(excerptOf('ä'.repeat(5_000), url).length, 1_024)
})

t.test('an excerpt hides each secret part of the address in the forms in which receivers repeat it', async (t) => {
  const url = new URL('https://teams.example/w/geheim-pfad/x%2Fgeheim?sig=geheim%2Bwert&code=geheim-code&v=1')
  for (const text of [
    'no workflow geheim-pfad',
    'no route /w/geheim-pfad/x%2Fgeheim',
    'no route \\/w\\/geheim-pfad\\/x%2Fgeheim',
    'no route x/geheim',
    'invalid sig geheim+wert',
    'invalid sig geheim%2Bwert',
    '{"sig":"geheim-code"}',
    '?sig=geheim%2Bwert&amp;code=geheim-code&amp;v=1',
    '?sig=geheim%2Bwert\\u0026code=geheim-code\\u0026v=1',
  ]) {
    t.notMatch(excerptOf(text, url), /geheim|wert/, text)
  }
  t.equal(excerptOf('no route /abc', new URL('https://teams.example/abc')), 'no route ***')
  t.equal(excerptOf('a/b is no version 1', new URL('https://teams.example/?v=1')), 'a/b is no version 1')
})

t.test('describes each outcome in German', async (t) => {
  const sentences = [200, 302, 404, 503].map((code) => describeOutcome({ status: code, fault: null }))
  t.strictSame(sentences, [
    'Der Empfänger hat die Nachricht angenommen (200)',
    'Der Empfänger leitet weiter (302); Weiterleitungen gelten als Ablehnung',
    'Der Empfänger hat die Nachricht abgelehnt (404)',
    'Der Empfänger kann gerade nicht (503)',
  ])
  const faults = DELIVERY_FAULTS.map((fault) => describeOutcome({ status: null, fault }))
  t.equal(new Set(faults).size, DELIVERY_FAULTS.length)
})
