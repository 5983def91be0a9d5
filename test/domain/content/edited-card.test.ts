import t from 'tap'
import { eachText, isSameText } from '../../../src/domain/content/card-texts.js'
import { type CardTextsInput, changeTexts, containsTexts, keyFrom } from '../../../src/domain/content/editing/card.js'
import { questionWords, similarityOf, wordPairs } from '../../../src/domain/content/editing/similar.js'
import { readCards } from '../../../src/domain/content/format/parse-deck.js'
import { writeCard } from '../../../src/domain/content/format/write-deck.js'
import { InvalidInput } from '../../../src/domain/refusal.js'
import fc, { runs } from '../../support/property.js'

/** Pieces of text that Markdown, the file format or Unicode treats specially */
const PIECES = [
  ...[
    'a',
    'Ä',
    'A\u0308',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '# ',
    '## ',
    '### Antwort',
  ],
  ...[
    '```',
    '~~~',
    '- [x] ',
    '- [ ] ',
    '* ',
    '1. ',
    '> ',
    '<!-- ',
    ' -->',
    '---',
    '===',
    '|',
    '\\',
    '&amp;',
    '{{72}}',
    '$',
  ],
  ...['<b>', '</b>', '![](x.png)', '[a]: b', '    ', ';', ': '],
]
const text = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))
const option = fc.record({ text, correct: fc.boolean(), feedback: fc.option(text) })
const input: fc.Arbitrary<CardTextsInput> = fc.record(
  { ...eachText(() => text), options: fc.option(fc.array(option, { maxLength: 3 })) },
  { requiredKeys: ['question', 'answer'] },
)

function accepted(given: CardTextsInput) {
  try {
    return changeTexts(given)
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

t.test('every card that a request may store is read back from its file', async (t) => {
  t.ok(accepted({ question: 'Frage', answer: 'Antwort', options: [{ text: 'b', correct: false }] }))
  fc.assert(
    fc.property(input, fc.boolean(), (given, draft) => {
      const texts = accepted(given)
      if (texts === undefined) return true
      const [card, ...others] = readCards(writeCard({ key: 'karte', draft, ...texts })) ?? []
      return card?.draft === draft && isSameText(card, texts) && others.length === 0
    }),
    { numRuns: runs(300) },
  )
})

t.test('saving a stored card unchanged changes nothing', async () => {
  fc.assert(
    fc.property(input, (given) => {
      const texts = accepted(given)
      if (texts === undefined) return true
      const { exercise, ...others } = texts
      const again = changeTexts({ ...others, ...exercise }, texts)
      return isSameText(again, texts) && isSameText(changeTexts({}, texts), texts)
    }),
  )
})

t.test('keeps the fields that a request leaves out', async (t) => {
  const options = [{ text: 'b', correct: false }]
  const before = changeTexts({ question: 'F', answer: 'a', level: 'l', options })
  t.strictSame(changeTexts({ question: 'G' }, before), { ...before, question: 'G' })
  t.throws(() => changeTexts({ answer: 'x'.repeat(400) }, before), /Absatz/, 'the answer must fit the options')
  t.equal(changeTexts({ options: null }, before).exercise, null)
  t.equal(changeTexts({ form: null }, before).exercise, null)
  t.throws(() => changeTexts({ options: [...options, { text: ' ', correct: true }] }, before), 'Antwort 2')
  t.ok(containsTexts({ unit: null }))
  t.notOk(containsTexts({}))
})

t.test('derives keys that suit the file format', async (t) => {
  t.equal(keyFrom('Was macht `git stash`?'), 'was-macht-git-stash')
  t.equal(keyFrom('Größe von ÄÖÜ?\nMehr'), 'groesse-von-aeoeue')
  t.equal(keyFrom('Что? git'), 'git')
  t.equal(keyFrom('日本'), '')
  t.equal(keyFrom(`${'wort '.repeat(30)}`).length, 44)
  t.equal(keyFrom('x'.repeat(100)).length, 48)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (question) => /^[a-z0-9-]{0,48}$/.test(keyFrom(question))))
})

t.test('compares questions by their words', async (t) => {
  const words = questionWords('Was macht **git stash** mit Änderungen?')
  t.strictSame([...words], ['was', 'macht', 'git', 'stash', 'mit', 'änderungen'])
  t.strictSame(wordPairs(words), [['änderungen', 'stash']])
  t.strictSame(wordPairs(questionWords('Was ist Git?')), [['was', 'ist', 'git']])
  t.strictSame(wordPairs(new Set()), [])
  t.equal(similarityOf(words, questionWords('was macht git stash mit änderungen')), 1)
  t.equal(similarityOf(words, questionWords('Was ist Docker?')), 0)
})
