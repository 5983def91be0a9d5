import t from 'tap'
import { waits, waitText } from '../../../web/src/pages/inhalte/tests/waits.js'

const spaced = (text: string) => text.replaceAll('\u00a0', ' ')

t.test('a pause between two attempts is named in the largest unit', async (t) => {
  for (const [minutes, text] of [
    [0, 'Keine'],
    [1, '1 Minute'],
    [90, '90 Minuten'],
    [60, '1 Stunde'],
    [2880, '2 Tage'],
  ] as const) {
    t.equal(spaced(waitText(minutes)), text)
  }
})

t.test('the choices include a pause that a file has set', async (t) => {
  t.equal(waits(60).length, waits(0).length)
  t.match(waits(90)[3], { value: '90' })
})
