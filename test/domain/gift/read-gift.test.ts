import t from 'tap'
import { readGift } from '../../../src/domain/gift/index.js'
import fc, { runs } from '../../support/property.js'
import { findFaults, LIMITS } from '../../support/read-questions.js'

function read(...lines: string[]) {
  const result = readGift(lines.join('\n'), LIMITS)
  return { ...result, faults: findFaults(result) }
}
const option = (text: string, correct: boolean, feedback: string | null = null) => ({ text, correct, feedback })

t.test('reads a choice with feedback and an explanation', async (t) => {
  const { questions, refused, faults } = read(
    '// Kommentar [id:port] [tag:netz] [tag:basis]',
    '::Name::Welcher Port gehört zu [b]?',
    '{',
    '  ~22#Das ist SSH',
    '  =443#Genau',
    '  ~25',
    '  ####HTTPS nutzt TLS.',
    '}',
  )
  t.strictSame([refused, faults], [[], []])
  t.strictSame(questions, [
    {
      line: 2,
      id: 'port',
      category: null,
      tags: ['netz', 'basis'],
      question: 'Welcher Port gehört zu [b]?',
      answer: '443\n\nHTTPS nutzt TLS.',
      exercise: {
        form: 'choice',
        options: [option('22', false, 'Das ist SSH'), option('443', true, 'Genau'), option('25', false)],
        tolerance: null,
        unit: null,
      },
      changes: [],
      files: [],
    },
  ])
})

t.test('reads several right answers, also with deductions', async (t) => {
  const { questions, faults } = read('Wer?{ ~%50%A ~%50%B ~%-100%C ~D }')
  t.strictSame(faults, [])
  t.match(questions, [
    {
      answer: '- A\n- B',
      exercise: { options: [{ correct: true }, { correct: true }, { correct: false }, {}] },
      changes: { length: 0 },
    },
  ])
  t.match(read('Wer?{ ~%75%A ~%25%B ~C }').questions, [{ changes: ['Teilpunkte einzelner Antworten entfallen'] }])
  t.match(read('Wer?{ ~%50%fast =ganz ~nicht }').questions, [
    { answer: 'ganz', changes: ['Teilpunkte einzelner Antworten entfallen'] },
  ])
})

t.test('reads true and false with both feedbacks', async (t) => {
  t.match(read('Die Erde ist flach.{FALSE#Sie ist rund.#Richtig!}').questions, [
    {
      answer: 'Falsch',
      exercise: {
        options: [
          { text: 'Wahr', correct: false, feedback: 'Sie ist rund.' },
          { text: 'Falsch', correct: true, feedback: 'Richtig!' },
        ],
      },
    },
  ])
})

t.test('reads typed answers and numbers', async (t) => {
  const { questions, faults } = read(
    'Hauptstadt?{=Rom =Roma =%50%Mailand}',
    '',
    'Pi?{#3.141:0.0005}',
    '',
    'Pi?{#3.141..3.142}',
    '',
    'Wann?{#=1822:0 =%50%1822:2}',
    '',
    'Eins bis fünf?{#3:2~#Ganz falsch}',
  )
  t.strictSame(faults, [])
  t.match(questions, [
    {
      answer: 'Rom',
      exercise: { form: 'text', options: [{ text: 'Roma', correct: true }] },
      changes: ['Antworten mit Teilpunkten entfallen'],
    },
    { answer: '3,1410', exercise: { form: 'number', options: { length: 0 }, tolerance: 0.0005 } },
    { answer: '3,1415', exercise: { tolerance: 0.0005 } },
    { answer: '1822', exercise: { tolerance: null }, changes: ['Antworten mit Teilpunkten entfallen'] },
    { answer: '3', exercise: { tolerance: 2 } },
  ])
})

t.test('reads missing words, pairs, categories, escapes and formats', async (t) => {
  const { questions, faults } = read(
    '$CATEGORY: Netze/Ports',
    '',
    'Grant ist {~begraben =bestattet} in seinem Grab.',
    '',
    'Hauptstädte{=Italien -> Rom =Japan->Tokio}',
    '',
    'Was ist 5?{ ~ \\= 2 + 2 = \\= 2 + 3 \\{\\}\\~\\#\\: ~ \\\\n}',
    '',
    '[html]Was ist <b>fett</b>?{=[plain]<b> ~[markdown]**b**}',
    '',
    '[markdown]Nutze `a`\\nund *b*{T}',
  )
  t.strictSame(faults, [])
  t.match(questions, [
    { category: 'Netze/Ports', question: 'Grant ist \\_\\_\\_\\_\\_ in seinem Grab.', answer: 'bestattet' },
    { answer: '- Italien: {{Rom}}\n- Japan: {{Tokio}}', exercise: { form: 'gaps' }, changes: [/wird zu Lücken/] },
    { exercise: { options: [{ text: '= 2 + 2' }, { text: '= 2 + 3 {}~#:' }, { text: '\\n' }] } },
    { question: 'Was ist **fett**?', exercise: { options: [{ text: '&lt;b>' }, { text: '**b**' }] } },
    { question: 'Nutze `a`\nund *b*' },
  ])
})

t.test('leaves out feedback to a pair and reports it', async (t) => {
  const { questions } = read('Hauptstädte{=Italien -> Rom#Genau! =Japan->Tokio =Ton C\\# -> Note \\#1 ####Atlas}')
  t.match(questions, [
    {
      answer: /^- Italien: \{\{Rom\}\}\n- Japan: \{\{Tokio\}\}\n- Ton C#: \{\{Note #1\}\}\n\nAtlas$/,
      changes: ['Rückmeldungen zu einzelnen Zuordnungen entfallen', /wird zu Lücken/],
    },
  ])
  t.equal(questions[0]?.changes.length, 2)
})

t.test('reads categories without the root that Moodle writes', async (t) => {
  const paths = ['$course$/top/Netze/Ports', '$cat1$/Netze', '$system$/top', '$course$', '$course$/topologie']
  const lines = paths.flatMap((path) => [`$CATEGORY: ${path}`, '', 'Gut?{T}', ''])
  t.strictSame(
    read(...lines).questions.map(({ category }) => category),
    ['Netze/Ports', 'Netze', null, null, 'topologie'],
  )
})

t.test('leaves out the right answer only if the explanation names it as a whole', async (t) => {
  const answer = (inside: string) => read(`Gut?{${inside}}`).questions[0]?.answer
  const [yes, ip, one] = ['Jahrelange Praxis hilft.', 'IPv6 ist länger.', '10 wäre zu viel.']
  t.equal(answer(`=Ja ~Nein ####${yes}`), `Ja\n\n${yes}`)
  t.equal(answer(`=IP ~TCP ####${ip}`), `IP\n\n${ip}`)
  t.equal(answer(`#1 ####${one}`), `1\n\n${one}`)
  t.equal(answer('#1 ####1,5 wäre zu viel.'), '1\n\n1,5 wäre zu viel.')
  t.equal(answer('=IP ~TCP ####IP-Adressen gibt es dort.'), 'IP\n\nIP-Adressen gibt es dort.')
  t.equal(answer('~%50%Ja ~%50%Gut ~Nein ####Jahr für Jahr gut.'), '- Ja\n- Gut\n\nJahr für Jahr gut.')
  for (const named of ['=Ja ~Nein ####Ja, denn es hilft.', '=C++ ~C ####C++ kann das.', '#1 ####1 ist genug.']) {
    t.equal(answer(named), named.slice(named.indexOf('####') + 4), named)
  }
  t.equal(answer('~%50%Ja ~%50%Gut ~Nein ####Jahr für Jahr gut: ja.'), 'Jahr für Jahr gut: ja.')
})

t.test('reads an escaped line break as each format means it', async (t) => {
  const breaks = (format: string) => read(`${format}<b>a</b>\\nb<br>\\nc{T}`).questions[0]?.question
  t.equal(breaks('[html]'), '**a** b  \nc')
  t.equal(breaks('[moodle]'), '**a**  \nb\n\nc')
  t.equal(breaks('[plain]'), '&lt;b>a&lt;/b>  \nb&lt;br>  \nc')
})

t.test('refuses single questions with a reason and their line', async (t) => {
  const { questions, refused } = read(
    'Nur ein Text',
    '',
    'Offen {=a',
    '',
    'Essay {}',
    '',
    'Alle falsch {~a ~b}',
    '',
    'Keine Zahl {#viel}',
    '',
    'Nur eine {=a ~}',
    '',
    'Zwei {=a} und {=b}',
    '',
    'Gut {=a}',
    '{=a}',
    '',
    'Platzhalter {=*a}',
    '',
    'Essay {####Musterlösung}',
  )
  t.strictSame(
    refused.map(({ line, reason }) => [line, reason]),
    [
      [1, 'Der Text enthält keine Antworten in { }'],
      [3, 'Die Klammern { } fehlen oder sind vertauscht; eine Leerzeile beendet eine Frage'],
      [5, 'Eine Freitextaufgabe ohne Musterlösung hat keine Antwort'],
      [7, 'Keine Antwort ist ganz richtig'],
      [9, '„viel“ ist keine Zahl'],
      [11, 'Eine Antwort zur Auswahl ist leer'],
      [13, 'Nur eine Gruppe von Antworten in { } ist möglich'],
      [15, 'Nur eine Gruppe von Antworten in { } ist möglich'],
      [18, 'Keine Antwort ist ganz richtig und ohne Platzhalter'],
    ],
  )
  t.match(questions, [{ line: 20, answer: 'Musterlösung', exercise: null, changes: [/Karte ohne Test/] }])
})

t.test('limits the number and the length of questions', async (t) => {
  const many = readGift('F{=a}\n\n'.repeat(20), { ...LIMITS, maxQuestions: 10 })
  t.equal(many.questions.length, 10)
  t.match(many.refused, [{ line: 21, reason: 'Die Datei hat mehr als 10 Fragen' }])
  t.match(readGift(`${'a'.repeat(101)}{=a}`, { ...LIMITS, maxLength: 100 }).refused, [
    { reason: /länger als 100 Zeichen/ },
  ])
})

t.test('property: whatever is read can be stored and judged', async () => {
  const piece = fc.constantFrom(
    ...[
      '{',
      '}',
      '=',
      '~',
      '#',
      '%50%',
      '->',
      '::',
      '\\',
      '\n',
      '\n\n',
      '//',
      '[html]',
      '<b>',
      'a',
      '1',
      '..',
      ':',
      '####',
      'T',
      '$CATEGORY:',
      '\ufdd0',
      '\0',
      '\ud800',
      '*',
      '- ',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(piece, { maxLength: 12 }), (before, inside) => {
      const result = readGift(`${before.join('')}\n\nF{${inside.join('')}=a ~b}`, LIMITS)
      const faults = findFaults(result)
      if (faults.length > 0) throw new Error(faults.join())
    }),
    { numRuns: runs(300) },
  )
})

const READ_AS_RIGHT = 'Vor einer Antwort steht „~=“; sie ist als richtig gelesen, wie mit „=“'

t.test('reads the mark ~= as a right answer and reports it', async (t) => {
  for (const answers of ['~blau~=rot~grün', '~blau ~ =rot ~grün', '~blau ~%100%=rot ~grün', '~blau\n~= rot\n~grün']) {
    const { questions, faults, refused } = read(`Farbe?{${answers}}`)
    t.strictSame([faults, refused], [[], []], answers)
    t.match(questions, [
      {
        answer: 'rot',
        exercise: { form: 'choice', options: [option('blau', false), option('rot', true), option('grün', false)] },
        changes: [READ_AS_RIGHT],
      },
    ])
  }
  t.match(read('Wer?{~=A ~=B ~C}').questions, [
    {
      answer: '- A\n- B',
      changes: [READ_AS_RIGHT, 'Statt einer der richtigen Antworten sind alle anzukreuzen'],
    },
  ])
  t.match(read('Formel?{=a\\=b ~a\\=c}').questions, [{ answer: 'a=b', changes: { length: 0 } }])
})

t.test('refuses marks that contradict each other', async (t) => {
  const reasonOf = (answers: string) => read(`Was?{${answers}}`).refused[0]?.reason
  t.equal(reasonOf('=~rot ~blau ~grün'), 'Hinter „=“ steht gleich „~“, also ist unklar, ob die Antwort richtig ist')
  t.equal(
    reasonOf('~%50%=rot ~%50%=blau ~grün'),
    'Vor einer Antwort stehen Teilpunkte und „=“, also ist unklar, was sie zählt',
  )
  t.equal(
    reasonOf('=SUMME(A1) ~=SUMME ~summe'),
    'Vor Antworten steht „=“ und „~=“, also ist unklar, welche richtig sind; ein Gleichheitszeichen im Text ist „\\=“',
  )
})
