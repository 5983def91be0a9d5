import t from 'tap'
import { type ExerciseInput, findGaps, parseExercise, showGaps } from '../../../src/domain/questions/exercise.js'

function parse(input: ExerciseInput, answer = 'Ein Absatz') {
  const faults: [string, number | undefined][] = []
  const exercise = parseExercise(input, answer, (message, option) => faults.push([message, option]))
  return { exercise, faults: faults.map(([message]) => message), places: faults.map(([, option]) => option) }
}
const right = (text: string) => ({ text, correct: true })
const wrong = (text: string) => ({ text, correct: false })

t.test('a card without options and form is plain', async (t) => {
  t.strictSame(parse({}), { exercise: null, faults: [], places: [] })
  t.strictSame(parse({ options: [], form: null }).exercise, null)
  t.match(parse({ unit: 'MB' }).faults, [/nur mit „form: number“/])
})

t.test('options make a choice, tidied', async (t) => {
  t.strictSame(parse({ options: [right(' a\r\nb '), { ...wrong('c'), feedback: ' ' }] }).exercise, {
    form: 'choice',
    options: [
      { text: 'a\nb', correct: true, feedback: null },
      { text: 'c', correct: false, feedback: null },
    ],
    tolerance: null,
    unit: null,
  })
})

t.test('refuses unusable choices', async (t) => {
  t.match(parse({ form: 'choice' }).faults, [/steht am Ende der Antwort eine Liste/])
  t.match(parse({ options: [right('a'), right('b')] }).faults, [/keine falsche/])
  t.match(parse({ options: [right('a'), wrong(' ')] }), { faults: [/ist leer/], places: [1] })
  t.match(parse({ options: [right('a'), wrong('\0')] }), { faults: [/nicht gespeichert/], places: [1] })
  t.match(parse({ options: Array.from({ length: 31 }, () => wrong('a')) }).faults, [/höchstens 30/])
  t.match(parse({ options: [right('a'), wrong('a'.repeat(65_537))] }).faults, [/zusammen länger/])
  t.match(parse({ form: 'quiz' }).faults, [/Die Form „quiz“ gibt es nicht/])
})

t.test('a choice with only wrong options needs an answer of one short paragraph', async (t) => {
  t.strictSame(parse({ options: [wrong('a')] }).faults, [])
  for (const answer of ['Eins\n\nZwei', '- a', 'a'.repeat(301), '']) {
    t.match(parse({ options: [wrong('a')] }, answer).faults, [/ein Absatz mit höchstens 300 Zeichen/], answer)
  }
})

t.test('text and number accept the answer and right options only', async (t) => {
  t.strictSame(parse({ form: 'text', options: [right('ls')] }).faults, [])
  t.match(parse({ form: 'text', options: [right('ls'), wrong('dir')] }), { faults: [/nur richtige/], places: [1] })
  t.strictSame(parse({ form: 'number', unit: 'MB', tolerance: 0.5 }, '**2,5** MB').faults, [])
  t.strictSame(parse({ form: 'number', options: [right('72')] }, 'Zweiundsiebzig').faults, [])
  t.match(parse({ form: 'number' }, 'viele').faults, [/ist die Antwort eine Zahl/])
  t.match(parse({ form: 'number' }, '1.000').faults, ['„1.000“ ist mehrdeutig: 1000 oder 1,000?'])
  t.match(parse({ form: 'number', options: [right('x')] }, '1').faults, ['„x“ ist keine Zahl'])
  for (const tolerance of [-1, Number.NaN, 1e16, 1e-9]) {
    t.match(parse({ form: 'number', tolerance }, '1').faults, [/„tolerance“ muss/], String(tolerance))
  }
  for (const unit of ['a;b', '-->', 'x'.repeat(41)]) {
    t.match(parse({ form: 'number', unit }, '1').faults, [/„unit“ hat/], unit)
  }
})

t.test('order and gaps are part of the answer', async (t) => {
  t.strictSame(parse({ form: 'order' }, 'So:\n\n1. a\n2. b').faults, [])
  for (const answer of ['a', '1. a', '1. a\n2. b\n\nText\n\n1. c\n2. d', '- a\n- b']) {
    t.match(parse({ form: 'order' }, answer).faults, [/genau eine nummerierte Liste/], answer)
  }
  t.strictSame(parse({ form: 'gaps' }, 'In {{72|zweiundsiebzig}} h').faults, [])
  t.match(parse({ form: 'gaps' }, 'In {{ | }} h').faults, [/mindestens eine Lücke/])
  t.match(parse({ form: 'gaps', options: [wrong('a')] }, '{{a}}').faults, [/keine Liste/])
  t.strictSame(findGaps('{{a| b }} und {{c}} und {{[ ] d|[x] e|[ ]}}'), [
    { accepted: ['a', 'b'], wrong: [] },
    { accepted: ['c'], wrong: [] },
    { accepted: ['e'], wrong: ['d'] },
  ])
  t.equal(showGaps('In {{[ ] 24|72}} h', 'gaps'), 'In 72 h')
  t.match(parse({ form: 'gaps' }, 'In {{[ ] 24}} h').faults, [/„24“ fehlt eine richtige/])
  t.match(parse({ form: 'gaps' }, 'In {{72|[ ] 72}} h').faults, [/„72“ als richtige und als falsche/])
})
