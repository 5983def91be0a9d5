import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { ROOT } from '../support/constants.js'
import { errorBody, startService } from '../support/service.js'

const text = readFileSync(`${ROOT}docs/security.md`, 'utf8')

t.test('every file named in the page exists', async (t) => {
  const names = [...text.matchAll(/`((?:db|docs|plugins|routes|src|test|web)\/[^`*]+)`/g)].map(([, name = '']) => name)
  t.ok(names.length > 60)
  for (const name of new Set(names)) t.ok(existsSync(`${ROOT}${name}`), name)
})

t.test('the totals match the tables', async (t) => {
  const count = (status: string) =>
    [...text.matchAll(/^\| ([\d., ]+) \| (\S+) +\|/gm)]
      .filter(([, , found]) => found === status)
      .reduce((sum, [, ids = '']) => sum + ids.split(', ').length, 0)
  const [, met, partly, gaps, operator] =
    /(\d+) are met, (\d+) partly, (\d+) are gaps, (\d+) are the operator's/.exec(text) ?? []
  t.strictSame([met, partly, gaps, operator].map(Number), ['met', 'partly', 'gap', 'operator'].map(count))
})

t.test('every requirement is counted once', async (t) => {
  const [all, ...parts] =
    (/Of (\d+) requirements (\d+) are met, (\d+) partly, (\d+) are gaps, (\d+) are the operator's, (\d+)/
      .exec(text)
      ?.slice(1) ?? []) as string[]
  t.equal(
    parts.reduce((sum, part) => sum + Number(part), 0),
    Number(all),
  )
  const without = [...text.matchAll(/^Not applicable: .*$/gm)].flatMap(([line]) => line.match(/\d+\.\d+\.\d+/g) ?? [])
  t.equal(new Set(without).size, without.length)
  const [, ofWholeChapters] = /(\d+) of\s+them in the chapter/.exec(text) ?? []
  t.equal(without.length + Number(ofWholeChapters), Number(parts.at(-1)))
})

t.test('TRACE is not echoed', async (t) => {
  const { app } = await startService(t)
  for (const url of ['/', '/api/decks']) {
    const answer = await app.inject({ method: 'TRACE' as 'GET', url, headers: { cookie: 'secret=1' } })
    t.notMatch(answer.body, 'secret')
    t.strictSame(answer.json(), url === '/' ? errorBody(404, 'Nicht gefunden') : errorBody(401, 'Nicht angemeldet'))
  }
})
