import t from 'tap'
import { refusalSentence } from '../../web/src/api/refusal-sentences.js'

const SENTENCES = {
  deck_not_found: 'Deck not found.',
  invalid_input: '“{label}” is not right yet.',
  'invalid_input maximum': '“{label}” allows at most {maximum}.',
  'foreign_file picture': 'This is a picture.',
  'not_publishable deck_missing': 'Section {section}: there is no deck “{deck}”.',
  source_exists: 'There is already a source “{name}”.',
}
const sentenceOf = (code: string, field?: string, details = {}) => refusalSentence({ code, field, details }, SENTENCES)

t.test('says a refusal in the language of the app by its code, field and details', async (t) => {
  t.equal(sentenceOf('deck_not_found'), 'Deck not found.')
  t.equal(sentenceOf('invalid_input', 'name'), '“Name” is not right yet.')
  t.equal(sentenceOf('invalid_input', 'decks/3/name', { maximum: 200 }), '“Name” allows at most 200.')
  t.equal(sentenceOf('foreign_file', undefined, { kind: 'picture' }), 'This is a picture.')
  t.equal(
    sentenceOf('not_publishable', undefined, { kind: 'deck_missing', deck: 'git', section: 2 }),
    'Section 2: there is no deck “git”.',
  )
  t.equal(sentenceOf('source_exists', 'name', { id: 3, name: '{label}' }), 'There is already a source “{label}”.')
})

t.test('isolates the values in a sentence', async (t) => {
  t.equal(
    sentenceOf('source_exists', 'name', { name: '\u202eab' }),
    'There is already a source “\u2068\u202eab\u2069”.',
  )
})

t.test('leaves a refusal to the service if a code or a value is unknown', async (t) => {
  t.equal(sentenceOf('new_code'), undefined)
  t.equal(sentenceOf('invalid_input'), undefined)
  t.equal(sentenceOf('invalid_input', 'unknown'), undefined)
  t.equal(sentenceOf('source_exists'), undefined)
  t.equal(sentenceOf('foreign_file', undefined, { kind: 'new' }), undefined)
  t.equal(sentenceOf('not_publishable', undefined, { kind: 'deck_missing', deck: 'git', section: null }), undefined)
  t.equal(refusalSentence({ code: 'deck_not_found', field: undefined, details: {} }), undefined, 'German has none')
})
