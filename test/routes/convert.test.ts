import t from 'tap'
import { convertToMarkdown } from '../../src/services/content/editing/convert.js'
import { stopMonotonicClock } from '../support/clock.js'
import { createEditor } from '../support/editing.js'
import { gifOf, targetOf } from '../support/pictures.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const service = await startService(t)
const author = await createEditor(service)
/** Longer than the timeout of the service, because the machine may be busy */
const timeoutMs = 120_000
const convert = async (html: unknown, caller: Caller = author) => caller.post('/api/content/convert', { html })

t.test('converts pasted HTML', async (t) => {
  const target = targetOf(gifOf('x'))
  for (const [html, markdown] of [
    ['', ''],
    ['<p>Ein <b>fetter</b> Absatz</p>', 'Ein **fetter** Absatz'],
    ['<style>.w { font-weight: bold }</style><span class="w">wichtig</span>', '**wichtig**'],
    [`<img alt="Plan" src="https://t.example.org/api/content/${target}">`, `![Plan](${target})`],
    ['<svg/>', '[Bild: Zeichnung]'],
    ['<script>alert(1)</script><!--StartFragment-->nur Text<!--EndFragment-->', 'nur Text'],
  ] as const) {
    t.strictSame((await convert(html)).body, { markdown }, html)
  }
  const { body } = await convert('<img src="https://t.example.org/x.png"><img src="media/../secret.png">Rest')
  t.notMatch(body.markdown, /!\[/)
  t.match(body.markdown, /Rest$/)
})

t.test('2 MB of text are converted; longer text and invalid characters are refused', async (t) => {
  const large = `<p>${'Wort '.repeat(100)}</p>`.repeat(4_000)
  t.match(await convertToMarkdown(large, { userId: 3, timeoutMs }), /^Wort Wort/)
  t.strictSame((await convert('x'.repeat(2 ** 21))).body, errorBody(413, 'Anfrage zu groß'))
  for (const html of ['a\0', '\ud800']) {
    t.strictSame((await convert(html)).body, errorBody(400, 'Das Feld „html“ enthält unzulässige Zeichen'))
  }
  t.strictSame((await convert(undefined)).body, errorBody(400, 'Das Feld „html“ fehlt'))
})

t.test('ends a conversion that takes too long or whose caller has disconnected', async (t) => {
  const html = '<b>x</b>'.repeat(200_000)
  await t.rejects(convertToMarkdown(html, { userId: 1, timeoutMs: 1 }), { code: 'converting_too_long' })
  const gone = new AbortController()
  const converted = convertToMarkdown(html, { userId: 1, timeoutMs, signal: gone.signal })
  gone.abort(new Error('gone'))
  await t.rejects(converted, { message: 'gone' })
  t.equal(await convertToMarkdown('<i>y</i>', { userId: 1, timeoutMs }), '_y_', 'the next conversion can run')
})

t.test('serves one conversion per author at a time and refuses a flood', async (t) => {
  const results = await Promise.allSettled(
    Array.from({ length: 6 }, () => convertToMarkdown('x', { userId: 2, timeoutMs })),
  )
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 4)
  const [refused] = results.filter((one) => one.status === 'rejected')
  t.match(refused?.reason, { code: 'too_many_attempts' })
})

t.test('converts at a limited rate', async (t) => {
  stopMonotonicClock(t)
  const limited = await startService(t, { config: { rateLimit: 1_000 } })
  const busy = await createEditor(limited)
  const statuses: number[] = []
  for (let count = 0; count < 22; count++) statuses.push((await convert('x', busy)).status)
  t.strictSame([statuses.indexOf(429), statuses.at(-1)], [20, 429])
})
