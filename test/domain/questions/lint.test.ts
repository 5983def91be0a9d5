import { readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { lintQuestion, RULES, type Rule } from '../../../src/domain/questions/lint.js'
import { ROOT } from '../../support/constants.js'
import fc from '../../support/property.js'

const GOOD = 'Welcher Port gehört zu HTTPS?'

/** Returns the rules that a choice question violates. The first `rights` options are right. */
function rulesOf(options: string[], question = GOOD, rights = 1): Rule[] {
  const list = options.map((text, index) => ({ text, correct: index < rights, feedback: null }))
  const exercise = { form: 'choice' as const, options: list, tolerance: null, unit: null }
  return lintQuestion({ question, answer: 'Antwort', exercise }).map(({ rule }) => rule)
}

t.test('finds nothing in a sound question', async (t) => {
  t.strictSame(rulesOf(['25', '443', '8080']), [])
  t.strictSame(rulesOf(['8080', '443', '25']), [])
  t.strictSame(rulesOf(['Transportschicht', 'Vermittlungsschicht', 'Sicherungsschicht'], 'Wo arbeitet TCP?'), [])
  t.strictSame(rulesOf(['a', 'b', 'c'], 'Was darf man **nicht** tun?'), [])
  t.strictSame(rulesOf(['a', 'b', 'c'], 'Was darf man NICHT tun?'), [])
})

t.test('names the values of a message, cut as in the message', async (t) => {
  const options = ['a', 'b', `Alle der genannten ${'x'.repeat(60)}`].map((text, at) => ({
    text,
    correct: at === 0,
    feedback: null,
  }))
  const exercise = { form: 'choice' as const, options, tolerance: null, unit: null }
  const [found] = lintQuestion({ question: GOOD, answer: 'Antwort', exercise })
  const answer = `Alle der genannten ${'x'.repeat(21)}…`
  t.match(found, { rule: 'all-of-these', code: 'all_of_these', details: { answer } })
  t.ok(found?.message.startsWith(`„${answer}“`))
})

t.test('reports the rule that a question breaks', async (t) => {
  const cases: [Rule, string[], string?][] = [
    ['few-options', ['ja', 'nein']],
    ['long-key', ['Ein langer Satz, der alles ganz genau sagt', 'Kurz', 'Knapp']],
    ['one-condition', ['Sofort, wenn es brennt', 'Am nächsten Tag früh', 'Nach einer Woche Zeit']],
    ['absolute-words', ['Nach Absprache', 'Das geht immer', 'Am Freitag']],
    ['repeated-word', ['Ein Zertifikat', 'Ein Passwort', 'Ein Dokument'], 'Wer prüft das Zertifikat?'],
    ['duplicates', ['Eins', 'Zwei', '**zwei**.']],
    ['all-of-these', ['Eins', 'Zwei', 'Alle der genannten']],
    ['all-of-these', ['Eins', 'Zwei', 'Keine dieser Antworten']],
    ['unsorted-numbers', ['72 Stunden', '24 Stunden', '96 Stunden']],
    ['plain-negation', ['Eins', 'Zwei', 'Drei'], 'Was ist kein Protokoll?'],
    ['plain-negation', ['Eins', 'Zwei', 'Drei'], 'Nicht erlaubt ist was?'],
  ]
  for (const [rule, options, question] of cases) t.strictSame(rulesOf(options, question), [rule], options.join(' / '))
})

t.test('recognises only whole words', async (t) => {
  t.strictSame(rulesOf(['Anton', 'Einmaleins', 'Wenngleich'], 'Wer tut das?'), [])
  t.strictSame(rulesOf(['Anton', 'Zimmer', 'Allee'], 'Wer tut das?'), [])
})

t.test('wrong answers are compared with the answer of the card', async (t) => {
  const exercise = {
    form: 'choice' as const,
    options: [{ text: '**stash**', correct: false, feedback: null }],
    tolerance: null,
    unit: null,
  }
  t.strictSame(
    lintQuestion({ question: 'Was?', answer: '`stash`', exercise }).map(({ rule }) => rule),
    ['few-options', 'duplicates'],
  )
})

t.test('several right answers, other forms and plain cards', async (t) => {
  t.strictSame(rulesOf(['Port 80', 'Port 443', 'Port 25'], 'Was?', 2), [])
  t.strictSame(lintQuestion({ question: 'F', answer: 'A', exercise: null }), [])
  const text = {
    form: 'text' as const,
    options: [{ text: 'a', correct: true, feedback: null }],
    tolerance: null,
    unit: null,
  }
  t.strictSame(lintQuestion({ question: 'Was ist kein F?', answer: 'A', exercise: text }), [])
})

t.test('property: any text gives German sentences', async (t) => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 6 }), (question, options) => {
      const list = options.map((text, index) => ({ text, correct: index === 0, feedback: null }))
      const exercise = { form: 'choice' as const, options: list, tolerance: null, unit: null }
      for (const { message } of lintQuestion({ question, answer: '', exercise })) {
        if (!/^\S.*\S$/su.test(message) || message.includes('undefined')) throw new Error(message)
      }
    }),
  )
  t.pass('always')
})

t.test('each rule has half a page of help, which begins with its title', async (t) => {
  const help = await readFile(path.join(ROOT, 'docs', 'fragen.md'), 'utf8')
  const [, ...sections] = help.split(/^## /m)
  t.strictSame(
    sections.map((section) => section.slice(0, section.indexOf('\n'))),
    [...RULES],
  )
  for (const section of sections) t.match(section, /^[a-z-]+\n\*\*.+[.]\*\* (?:.|\n){300}/)
})
