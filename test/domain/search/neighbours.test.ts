import t from 'tap'
import { MAX_NEIGHBOURS, neighboursOfAll } from '../../../src/domain/search/words.js'

const wordOf = (length: number, at = 0) =>
  String.fromCharCode(...Array.from({ length }, (_, i) => 97 + ((i * 7 + at) % 26)))

t.test('one query has a bounded number of neighbours, whatever its words', async (t) => {
  for (const words of [
    ['ä'.repeat(100)],
    Array.from({ length: 8 }, (_, at) => wordOf(24, at)),
    Array.from({ length: 40 }, (_, at) => wordOf(5, at)),
    ['ä'.repeat(20), 'ü'.repeat(20)],
    ['aeoeueaeoeueaeoeue', 'äöüäöüäöüäöüäöü'],
  ]) {
    t.ok((neighboursOfAll(words)?.length ?? 0) <= MAX_NEIGHBOURS, `${words}`)
  }
  t.equal(neighboursOfAll(['ä'.repeat(100)]), undefined)
})

t.test('usual queries are corrected whole, in other spellings too', async (t) => {
  const likeOf = (words: string[], place: number) =>
    new Set((neighboursOfAll(words) ?? []).filter((one) => one.place === place).map(({ word }) => word))
  const eight = Array.from({ length: 8 }, (_, at) => wordOf(5, at))
  for (const [place, word] of eight.entries()) t.ok(likeOf(eight, place).has(`${word}x`))
  t.ok(likeOf(['aergeer', 'zweig'], 0).has('ärger'))
  t.ok(likeOf([wordOf(40)], 0).has(`${wordOf(40)}s`))
})
