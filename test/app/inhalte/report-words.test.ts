import t from 'tap'
import {
  ageNote,
  correlationNumber,
  correlationWords,
  facilityWords,
  hintOf,
  secondsWords,
} from '../../../web/src/pages/inhalte/tests/report-words.js'

const option = (text: string, count: number | null, correct = false) => ({
  text,
  correct,
  count,
  as_of: null,
  share: null,
})

t.test('formats the statistics of a question with their meaning', async (t) => {
  t.strictSame([0.95, 0.9, 0.5, 0.39].map(facilityWords), ['leicht', 'leicht', 'mittelschwer', 'schwer'])
  t.strictSame([0.3, 0.2, 0.19, 0, -0.01].map(correlationWords), [
    ...['trennt gut', 'trennt mäßig', 'trennt kaum', 'trennt kaum', 'trennt verkehrt'],
  ])
  t.strictSame([0.417, -0.031, -0.001].map(correlationNumber), ['0,42', '−0,03', '0,00'])
  t.strictSame([0, 1, 21.4].map(secondsWords), ['unter 1 Sekunde', '1 Sekunde', '21 Sekunden'])
})

t.test('names the day of a count that is newer than the report', async (t) => {
  const report = '2026-11-25T10:00:00.000Z'
  t.equal(ageNote('2026-12-03T12:00:00.000Z', report), 'Stand Do., 3. Dezember 2026')
  t.equal(ageNote('2026-12-03T12:00:00.000Z', null), 'Stand Do., 3. Dezember 2026')
  t.equal(ageNote(report, report), '')
  t.equal(ageNote(null, report), '')
})

t.test('returns the wrong options that a hint refers to', async (t) => {
  const key = option('72', 20, true)
  t.strictSame(hintOf('never_chosen', [key, option('24', 21), option('7', null)]).options, ['7'])
  t.match(
    hintOf('never_chosen', [key, option('24', 21), option('7', null)]).text,
    /^Diese falsche Antwort wählt niemand/,
  )
  t.strictSame(hintOf('more_than_key', [key, option('24', 21), option('7', 6)]).options, ['24'])
  t.strictSame(hintOf('hasty', [key]).options, [])
})

t.test('does not tell which of several hidden options was never chosen', async (t) => {
  const { text, options } = hintOf('never_chosen', [option('72', 20, true), option('24', null), option('7', null)])
  t.match(text, /^Mindestens eine/)
  t.strictSame(options, ['24', '7'])
})
