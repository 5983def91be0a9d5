import t from 'tap'
import { slugFrom } from '../../../web/src/pages/inhalte/tests/slug.js'
import { drawWords, guessWords, stateOf } from '../../../web/src/pages/inhalte/tests/test-words.js'

t.test('formats probabilities and numbers of draws', async (t) => {
  t.equal(guessWords(0), 'unter 0,1 %')
  t.equal(guessWords(4.158), '4,2 %')
  t.equal(drawWords('75287520'), '75.287.520')
  t.equal(drawWords('1000000000000'), 'mehr als eine Billion')
})

t.test('names the state of a test', async (t) => {
  const words = (test: Parameters<typeof stateOf>[0]) => stateOf(test).map(({ text }) => text)
  t.strictSame(words({ state: 'draft', has_changes: true }), ['Entwurf'])
  t.strictSame(words({ state: 'published', has_changes: false }), ['veröffentlicht'])
  t.strictSame(words({ state: 'published', has_changes: true }), ['veröffentlicht', 'seitdem geändert'])
  t.strictSame(words({ state: 'archived', has_changes: true }), ['archiviert'])
})

t.test('derives the slug of a test from its name', async (t) => {
  t.equal(slugFrom('Größe & Gewicht'), 'groesse-gewicht')
  t.equal(slugFrom('Café, Straße'), 'cafe-strasse')
  t.equal(slugFrom('???'), 'test')
})
