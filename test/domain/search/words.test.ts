import t from 'tap'
import {
  findWords,
  foldWord,
  hasPair,
  neighboursOf,
  spellingsOf,
  splitWord,
  wordsOf,
} from '../../../src/domain/search/words.js'
import { anyCharacter } from '../../support/arbitraries.js'
import fc, { runs } from '../../support/property.js'

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.lorem().map((text) => text.toUpperCase()),
  fc
    .array(fc.constantFrom('Ü', 'u\u0308', 'ß', 'ẞ', 'İ', 'ǆ', 'Σ', 'ﬀ', '\ud800', '\0', '_', '%', ' ', '9'))
    .map((all) => all.join('')),
)

t.test('words come in text order, without overlaps, folded the same everywhere', async () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let end = 0
      for (const word of findWords(text)) {
        if (word.start < end || word.end <= word.start || word.end > text.length) return false
        if (foldWord(text.slice(word.start, word.end)) !== word.folded || foldWord(word.folded) !== word.folded)
          return false
        end = word.end
      }
      return true
    }),
    { numRuns: runs(300) },
  )
})

t.test('words are storable and fit the index', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 90, maxLength: 400 }), (text) =>
      [...wordsOf(text)].every((word) => word.isWellFormed() && !word.includes('\0') && word.length <= 400),
    ),
  )
})

t.test('ignores case, Unicode form and punctuation', async (t) => {
  t.strictSame(
    [...wordsOf('„Übung“ U\u0308BUNG über_all: C++, `git-stash`, 3.5')],
    ['übung', 'über', 'all', 'c', 'git', 'stash', '3', '5'],
  )
  t.strictSame([...wordsOf('%_\\ \'";|&!():*<-> \0 😀 …')], [])
})

t.test('finds umlauts written without them', async (t) => {
  t.strictSame(spellingsOf('loeschen'), ['loeschen', 'löschen'])
  t.strictSame(spellingsOf('löschen'), ['löschen', 'loeschen'])
  t.strictSame(spellingsOf('git'), ['git'])
})

t.test('neighbours differ by one typing error; short words have none', async (t) => {
  t.strictSame(neighboursOf('head'), [])
  const neighbours = new Set(neighboursOf('befehl'))
  for (const word of ['befhl', 'befehle', 'befhel', 'bafehl', 'efehl', 'xbefehl', 'befeh'])
    t.ok(neighbours.has(word), word)
  for (const word of ['befehl', 'befehlen', 'bfhel', 'befelhx']) t.notOk(neighbours.has(word), word)
})

t.test('being a neighbour is symmetric', async () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcäß9'), minLength: 6, maxLength: 9 })
  fc.assert(
    fc.property(word, fc.nat(), (word, pick) => {
      const neighbours = neighboursOf(word)
      const other = neighbours[pick % neighbours.length] ?? ''
      return neighboursOf(other).includes(word)
    }),
  )
})

t.test('limits the distinct words of a text', async (t) => {
  const words = wordsOf(Array.from({ length: 50_000 }, (_, index) => `wort${index}`).join(' '))
  t.equal(words.size, 20_000)
  t.ok(words.has('wort19999'))
  t.equal(wordsOf('eins zwei '.repeat(50_000)).size, 2)
})

t.test('cuts a word in two, the most even way first', async (t) => {
  t.strictSame(splitWord('abcdef'), [['abc', 'def']])
  t.strictSame(splitWord('abcdefgh'), [
    ['abcd', 'efgh'],
    ['abc', 'defgh'],
    ['abcde', 'fgh'],
  ])
  t.strictSame(splitWord('abcde'), [])
})

t.test('recognises pairs joined by a hyphen or white space', async (t) => {
  const isPair = (text: string) => hasPair(text, new Set(['subnetz']), new Set(['maske', 'masken']))
  for (const text of ['Subnetz Maske', 'die Subnetz-Masken', 'Subnetz\nMaske', 'Subnetz, Subnetz maske'])
    t.ok(isPair(text), text)
  for (const text of ['Subnetz. Maske', 'Subnetz und Maske', 'Maske Subnetz', 'Subnetzmaske', ''])
    t.notOk(isPair(text), text)
})
