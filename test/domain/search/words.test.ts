import fc from 'fast-check'
import t from 'tap'
import { findWords, foldWord, neighboursOf, spellingsOf, wordsOf } from '../../../src/domain/search/words.js'
import { anyCharacter } from '../../support/arbitraries.js'

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.lorem().map((text) => text.toUpperCase()),
  fc
    .array(fc.constantFrom('Ü', 'u\u0308', 'ß', 'ẞ', 'İ', 'ǆ', 'Σ', 'ﬀ', '\ud800', '\0', '_', '%', ' ', '9'))
    .map((all) => all.join('')),
)

t.test('words stand in the text in order, without overlaps, and are folded alike wherever they are', async () => {
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
    { numRuns: 2_000 },
  )
})

t.test('a word is one that the database can hold, and short enough for its index', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 90, maxLength: 400 }), (text) =>
      [...wordsOf(text)].every((word) => word.isWellFormed() && !word.includes('\0') && word.length <= 400),
    ),
  )
})

t.test('case, both forms of Unicode and punctuation make no difference', async (t) => {
  t.strictSame(
    [...wordsOf('„Übung“ U\u0308BUNG über_all: C++, `git-stash`, 3.5')],
    ['übung', 'über', 'all', 'c', 'git', 'stash', '3', '5'],
  )
  t.strictSame([...wordsOf('%_\\ \'";|&!():*<-> \0 😀 …')], [])
})

t.test('umlauts are also found as they are written without them', async (t) => {
  t.strictSame(spellingsOf('loeschen'), ['loeschen', 'löschen'])
  t.strictSame(spellingsOf('löschen'), ['löschen', 'loeschen'])
  t.strictSame(spellingsOf('git'), ['git'])
})

t.test('neighbours are what one typing error makes, and none of a short word', async (t) => {
  t.strictSame(neighboursOf('head'), [])
  const neighbours = new Set(neighboursOf('befehl'))
  for (const word of ['befhl', 'befehle', 'befhel', 'bafehl', 'efehl', 'xbefehl', 'befeh'])
    t.ok(neighbours.has(word), word)
  for (const word of ['befehl', 'befehlen', 'bfhel', 'befelhx']) t.notOk(neighbours.has(word), word)
})

t.test('whose neighbour a word is, that is its neighbour', async () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcäß9'), minLength: 6, maxLength: 9 })
  fc.assert(
    fc.property(word, fc.nat(), (word, pick) => {
      const neighbours = neighboursOf(word)
      const other = neighbours[pick % neighbours.length] ?? ''
      return neighboursOf(other).includes(word)
    }),
  )
})

t.test('of a text with more different words than a book only the first ones count', async (t) => {
  const words = wordsOf(Array.from({ length: 50_000 }, (_, index) => `wort${index}`).join(' '))
  t.equal(words.size, 20_000)
  t.ok(words.has('wort19999'))
  t.equal(wordsOf('eins zwei '.repeat(50_000)).size, 2)
})
