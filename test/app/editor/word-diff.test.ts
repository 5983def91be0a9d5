import t from 'tap'
import { diffTexts } from '../../../web/src/editor/word-diff.js'
import fc from '../../support/property.js'

t.test('compares by words', async (t) => {
  t.strictSame(diffTexts('Der Hund bellt.', 'Der Hund schläft.'), [
    { kind: 'same', text: 'Der Hund ' },
    { kind: 'removed', text: 'bellt' },
    { kind: 'added', text: 'schläft' },
    { kind: 'same', text: '.' },
  ])
  t.strictSame(diffTexts('', 'neu'), [{ kind: 'added', text: 'neu' }])
  t.strictSame(diffTexts('gleich', 'gleich'), [{ kind: 'same', text: 'gleich' }])
  t.strictSame(diffTexts('', ''), [])
})

t.test('keeps every character of both texts', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'ß', '😀', '.'), maxLength: 60 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = diffTexts(before, after)
      const join = (left: string) =>
        parts
          .filter(({ kind }) => kind !== left)
          .map(({ text }) => text)
          .join('')
      return join('added') === before && join('removed') === after
    }),
  )
})

t.test('long texts without a common word differ as a whole', async (t) => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join(' ')
  t.strictSame(
    diffTexts(long('a'), long('b')).map(({ kind }) => kind),
    ['removed', 'added'],
  )
})
