import t from 'tap'
import { parseReportText } from '../../../src/domain/content/reports.js'
import { InvalidInput } from '../../../src/domain/refusal.js'
import { countCharacters, isStorable } from '../../../src/domain/text/text.js'
import { anyCharacter } from '../../support/arbitraries.js'
import fc, { runs } from '../../support/property.js'

const piece = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(' ', '\t', '\n', '\r', '\r\n', '\0', '\u001b', '\u0085', '\ud800', '😀', '😀'.repeat(999)),
)
const anyText = fc.array(piece, { maxLength: 6 }).map((all) => all.join(''))

t.test('accepts storable text as a report and refuses all other input', async (t) => {
  t.equal(parseReportText(' falsch:\r\n\tx\ry '), 'falsch:\n\tx\ny')
  fc.assert(
    fc.property(anyText, (input) => {
      let text: string
      try {
        text = parseReportText(input)
      } catch (error) {
        return error instanceof InvalidInput
      }
      const length = countCharacters(text)
      return (
        length >= 1 &&
        length <= 1_000 &&
        text.trim() === text &&
        isStorable(text) &&
        !/(?![\t\n])\p{Cc}/u.test(text) &&
        parseReportText(text) === text &&
        text === input.replaceAll('\r\n', '\n').replaceAll('\r', '\n').trim()
      )
    }),
    { numRuns: runs(300) },
  )
})
