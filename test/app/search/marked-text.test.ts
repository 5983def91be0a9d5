import t from 'tap'
import { markText } from '../../../web/src/search/marked-text.js'
import fc from '../../support/property.js'

t.test('parts joined are the text, for any ranges', async (t) => {
  const range = fc.tuple(fc.integer({ min: -3, max: 30 }), fc.integer({ min: -3, max: 30 }))
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.array(range), (text, ranges) => {
      const parts = markText(text, ranges)
      return parts.map((part) => part.text).join('') === text && parts.every((part) => part.text !== '')
    }),
  )
  t.strictSame(markText('git stash pop', [[4, 9]]), [
    { text: 'git ', isHit: false },
    { text: 'stash', isHit: true },
    { text: ' pop', isHit: false },
  ])
  t.strictSame(markText('stash', [[0, 5]]), [{ text: 'stash', isHit: true }])
})
