import t from 'tap'
import { readAiken } from '../../../src/domain/aiken/index.js'
import { findFaults, LIMITS } from '../../support/read-questions.js'

t.test('reads questions and refuses incomplete ones', async (t) => {
  const lines = [
    'Was ist <b> in *HTML*?',
    'A) fett',
    'B. kursiv',
    'ANSWER: A',
    '',
    'Zu wenige',
    'A) eine',
    'ANSWER: A',
    'A) ohne Frage',
    'B) wirklich',
    'ANSWER: B',
    'Ohne Antwort',
    'A) a',
    'B) b',
    'Unbekannt',
    'A) a',
    'B) b',
    'ANSWER: C',
    'ANSWER: A',
    'Doppelt',
    'A) a',
    'A) b',
    'ANSWER: A',
    'Zwei',
    'Zeilen',
    'A)ohne Platz',
    'B)auch',
    'ANSWER: B',
    'Ende',
    'A) a',
  ]
  const result = readAiken(`\ufeff${lines.join('\r\n')}`, LIMITS)
  t.strictSame(findFaults(result), [])
  t.match(result.questions, [
    {
      line: 1,
      question: 'Was ist &lt;b> in \\*HTML\\*?',
      answer: 'fett',
      exercise: {
        form: 'choice',
        options: [
          { text: 'fett', correct: true },
          { text: 'kursiv', correct: false },
        ],
      },
      changes: [],
    },
    { line: 24, question: /Zwei.*\nZeilen/, answer: 'auch' },
  ])
  t.equal(result.questions.length, 2)
  t.strictSame(
    result.refused.map(({ line, reason }) => [line, reason]),
    [
      [6, 'Es gibt weniger als zwei Antworten'],
      [9, 'Vor den Antworten fehlt die Frage'],
      [12, 'Nach den Antworten fehlt die Zeile „ANSWER: …“'],
      [15, 'Die Antwort „C“ gibt es nicht'],
      [19, 'Vor den Antworten fehlt die Frage'],
      [20, 'Die Antwort A steht zweimal da'],
      [22, 'Vor den Antworten fehlt die Frage'],
      [29, 'Die Zeile „ANSWER: …“ fehlt'],
    ],
  )
  t.match(readAiken('F\nA) a\nB) b\nANSWER: A\n'.repeat(3), { ...LIMITS, maxQuestions: 2 }), {
    questions: [{}, {}],
    refused: [{ reason: 'Die Datei hat mehr als 2 Fragen' }],
  })
})
