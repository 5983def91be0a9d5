import t from 'tap'
import { readNumber, withoutUnit } from '../../../src/domain/questions/number.js'
import fc from '../../support/property.js'

t.test('reads numbers with comma, point and thousands', async (t) => {
  const cases: [string, ReturnType<typeof readNumber>][] = [
    ['72', 72],
    [' 72 ', 72],
    ['1,5', 1.5],
    ['1.5', 1.5],
    ['-0,25', -0.25],
    ['−3', -3],
    [',5', 0.5],
    ['0,125', 0.125],
    ['0.125', 0.125],
    ['1234,567', 1234.567],
    ['1.000.000', 1_000_000],
    ['1,000,000', 1_000_000],
    ['1.000,5', 1000.5],
    ['1,000.5', 1000.5],
    ['1 000', 1000],
    ["1'000,25", 1000.25],
    ['1 000,125', 1000.125],
    ['1e3', 1000],
    ['1.000', 'ambiguous'],
    ['12,345', 'ambiguous'],
    ['', 'none'],
    ['abc', 'none'],
    ['1.00.000', 'none'],
    ['1,2,3', 'none'],
    ['1.000,5,5', 'none'],
    ['.', 'none'],
    ['1e999', 'none'],
    ['72 Stunden', 'none'],
  ]
  t.strictSame(
    cases.map(([text]) => [text, readNumber(text)]),
    cases,
  )
})

t.test('property: reads what JavaScript and German people write', async (t) => {
  const value = fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((number) => Number(number.toFixed(2)))
  fc.assert(
    fc.property(value, (number) => {
      const german = number.toLocaleString('de-DE', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
      if (readNumber(german) !== number + 0) throw new Error(german)
      if (readNumber(number.toFixed(2)) !== Number(number.toFixed(2))) throw new Error(number.toFixed(2))
    }),
  )
  t.pass('the same number')
})

t.test('removes the unit and emphasis', async (t) => {
  t.equal(withoutUnit('**2,5** mb', 'MB'), '2,5')
  t.equal(withoutUnit('`22`', null), '22')
  t.equal(withoutUnit('22 GB', 'MB'), '22 GB')
})
