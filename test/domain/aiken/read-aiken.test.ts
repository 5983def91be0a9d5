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
      changes: { length: 0 },
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

const read = (...lines: string[]) => readAiken(lines.join('\n'), LIMITS)
const rightOf = ({ questions }: ReturnType<typeof readAiken>) => {
  return questions.map(({ exercise }) => exercise?.options.filter(({ correct }) => correct).map(({ text }) => text))
}

t.test('reads the answer in any case, in German and with several letters', async (t) => {
  const result = read(
    'Welche Schicht routet?',
    'A) Sicherung',
    'B) Vermittlung',
    'Answer: b',
    '',
    'Was ist privat?',
    'A. 10.0.0.0/8',
    'B. 8.8.8.8',
    'C. 192.168.0.0/16',
    'ANSWER: A, C',
    '',
    'Antwort: Wie heißt das auf Englisch?',
    'A) answer',
    'B) reply',
    'C) request',
    'ANTWORTEN: a und B)',
    'Wer?',
    'A) ich',
    'B) du',
    'ANSWER: A and Z',
    'Wo?',
    'A) hier',
    'B) dort',
    'Answer: hier',
  )
  t.strictSame(findFaults(result), [])
  t.strictSame(rightOf(result), [['Vermittlung'], ['10.0.0.0/8', '192.168.0.0/16'], ['answer', 'reply']])
  t.match(result.questions, [
    { changes: { length: 0 } },
    { changes: { length: 0 } },
    { question: 'Antwort: Wie heißt das auf Englisch?' },
  ])
  t.strictSame(
    result.refused.map(({ line, reason }) => [line, reason]),
    [
      [17, 'Die Antwort „Z“ gibt es nicht'],
      [21, 'Die Antwort „hier“ gibt es nicht'],
    ],
  )
})

t.test('feedback explains the question before it and does not join the next one', async (t) => {
  const result = read(
    'Welcher Port gehört zu SSH?',
    'A) 22',
    'B) 23',
    'ANSWER: A',
    'FEEDBACK: Telnet nutzt 23.',
    'Welcher Port gehört zu DNS?',
    'A) 53',
    'B) 67',
    'ANSWER: A',
    '',
    'Feedback: DHCP nutzt 67.',
    'Und TFTP nutzt 69.',
    '',
    'Welcher Port gehört zu NTP?',
    'A) 123',
    'B) 161',
    'ANSWER: A',
  )
  t.strictSame([findFaults(result), result.refused], [[], []])
  t.match(result.questions, [
    { line: 1, question: 'Welcher Port gehört zu SSH?', answer: '22\n\nTelnet nutzt 23.' },
    { line: 6, question: 'Welcher Port gehört zu DNS?', answer: /^53\n\nDHCP nutzt 67\.\\?\s+Und TFTP nutzt 69\.$/ },
    { line: 14, question: 'Welcher Port gehört zu NTP?', answer: '123' },
  ])
})

t.test('refuses feedback that may belong to an option or to no question', async (t) => {
  const result = read(
    'FEEDBACK: verirrt',
    'Wer?',
    'A) ich',
    'FEEDBACK: nein',
    'B) du',
    'ANSWER: B',
    'Wo?',
    'A) hier',
    'B) dort',
    'ANSWER: C',
    'FEEDBACK: geht mit der Frage verloren',
    'Wann?',
    'A) jetzt',
    'B) nie',
    'ANSWER: A',
  )
  t.strictSame(
    result.refused.map(({ line, reason }) => [line, reason]),
    [
      [1, 'Vor der Zeile „FEEDBACK: …“ fehlt die Frage'],
      [2, 'Die Zeile „FEEDBACK: …“ steht vor der Zeile „ANSWER: …“ statt dahinter'],
      [5, 'Vor den Antworten fehlt die Frage'],
      [7, 'Die Antwort „C“ gibt es nicht'],
    ],
  )
  t.match(result.questions, [{ line: 12, question: 'Wann?', answer: 'jetzt' }])
})
