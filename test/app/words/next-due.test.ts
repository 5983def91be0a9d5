import t from 'tap'
import { nextDueText } from '../../../web/src/words/next-due.js'

const forecast = (...due: number[]) => due.map((cards, index) => ({ day: `2026-11-${21 + index}`, due: cards }))
const textOf = (...due: number[]) => nextDueText(forecast(...due), '2026-11-21')

t.test('names the next day on which something is due', async (t) => {
  t.equal(textOf(5, 1), 'Morgen wird 1 Karte fällig.')
  t.equal(textOf(5, 3, 2), 'Morgen werden 3 Karten fällig.')
  t.equal(textOf(5, 0, 1), 'Als Nächstes wird übermorgen (Montag, 23. November) 1 Karte fällig.')
  t.equal(textOf(0, 0, 0, 0, 7), 'Als Nächstes werden in 4 Tagen (Mittwoch, 25. November) 7 Karten fällig.')
  t.equal(textOf(9, 0, 0), 'In den nächsten 2 Tagen wird nichts fällig.')
  t.equal(textOf(9), '', 'no sentence without a forecast')
})
