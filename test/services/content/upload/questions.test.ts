import t from 'tap'
import { FaultyContent } from '../../../../src/domain/content/refusals.js'
import { findQuestionFormat } from '../../../../src/domain/content/upload/question-file.js'
import { writeMoodle } from '../../../../src/domain/moodle/index.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import { writeUpload } from '../../../support/upload-packages.js'

type Tap = Parameters<typeof writeUpload>[0]

async function read(t: Tap, bytes: Uint8Array | string, deck?: string, levels = ['Sehr schwer']) {
  const { file, workFolder } = writeUpload(t, bytes)
  return readFile(file, { fileName: 'fragen.txt', defaultDeck: 'Fragen', workFolder, levels, deck })
}

async function faultsOf(t: Tap, bytes: Uint8Array | string): Promise<string[]> {
  try {
    await read(t, bytes)
  } catch (error) {
    if (!(error instanceof FaultyContent)) throw error
    return error.faults.map(({ file, line, message }) => `${file}:${line}: ${message}`)
  }
  return []
}

t.test('recognises questions by their beginning', async (t) => {
  const format = (text: string) => findQuestionFormat(Buffer.from(text))
  t.equal(format('\ufeff<?xml version="1.0" encoding="UTF-8"?>\r\n<!-- x -->\n<quiz>'), 'moodle')
  t.equal(format('<quiz attr="1">'), 'moodle')
  t.equal(format('// Kommentar\n\n// noch einer\nWer?{~a =b}'), 'gift')
  t.equal(format('$CATEGORY: a/b\n\nText'), 'gift')
  t.equal(format('::Titel:: Frage {}'), 'gift')
  t.equal(format('[1] Was ist 1 + 1? {=2 ~3}'), 'gift')
  t.equal(format('Der größte Kontinent?{\n\t=%100%Asien#\n\t~Afrika\n}'), 'gift')
  t.equal(format('Wer war Dag Hammarskjöld, und was tat er? {}'), 'gift')
  t.equal(format('Frage\r\nA) a\r\nB) b\r\nANSWER: A'), 'aiken')
  for (const answer of ['Answer: b', 'ANSWER: A, C', 'ANTWORT: B', '  antworten: a und b.']) {
    t.equal(format(`Frage\nA) a\nB) b\n  C) c\n${answer}\nFEEDBACK: x`), 'aiken', answer)
  }
  for (const other of [
    'A) eins\nB) zwei\nAntwort: keine davon',
    'Frage;Antwort\nWas ist {}?;Ein Objekt',
    'Was macht {#if} in Svelte?;Ein Block',
    'Was macht {{x}}?\tx',
    'x{=a}\ty',
    'Was ist {} in Python?;dict',
    'Was ist {} in Python?,dict',
    'Was ist {}? | dict',
    'A) eins;A) zwei',
    '#separator:tab\nFrage\tAntwort',
    '{\n  "name": "f",\n  "text": "Was gibt f\\"{x}{}\\" aus? {=a}"\n}',
    '[{"frage": "Was ist {}?", "antwort": "{=leer}"}]',
    '[1, {"text": "Was gibt f(x) {=a}"}]',
    '<html><quiz>',
    '<?xml version="1.0"?><quizzes/>',
    '',
  ]) {
    t.equal(format(other), undefined, other)
  }
})

t.test('reads GIFT into decks of its categories', async (t) => {
  const gift = [
    '$CATEGORY: Netze/Ports',
    '',
    '// [id:https] [tag:neu] [tag:sehr schwer]',
    'HTTPS?{=443 ~22}',
    '',
    '// [id:https]',
    'SSH?{#22}',
    '',
    'SSH?{#22}',
    '',
    'Ein Text',
    '',
    'Ordne zu{=a->b =c->d}',
  ].join('\n')
  const { kind, decks, warnings, warningsTotal } = await read(t, gift)
  t.equal(kind, 'table')
  t.match(decks, [
    {
      name: 'Netze::Ports',
      cards: [
        {
          identity: { by: 'id', id: 'https' },
          question: 'HTTPS?',
          answer: '443',
          level: 'Sehr schwer',
          exercise: { form: 'choice', options: [{ text: '443', correct: true }, { text: '22' }] },
          file: 'fragen.txt',
          line: 4,
        },
        { identity: { by: 'question' }, exercise: { form: 'number' }, level: 'import' },
        { question: 'Ordne zu', exercise: { form: 'gaps' } },
      ],
    },
  ])
  t.equal(decks[0]?.cards.length, 3)
  t.equal(warningsTotal, 3)
  t.strictSame(
    warnings.map(({ line, message }) => [line, message]),
    [
      [9, '„SSH?“: Dieselbe Frage steht schon weiter oben, diese wird nicht übernommen'],
      [11, 'Die Frage „Ein Text“ wird nicht übernommen: Der Text enthält keine Antworten in { }'],
      [13, '„Ordne zu“: Die Zuordnung wird zu Lücken, in die man schreibt'],
    ],
  )
  t.match((await read(t, gift, 'Eigenes')).decks, [{ name: 'Eigenes' }])
})

t.test('keeps different questions with the same text, and a slash in the name of a category', async (t) => {
  const gift = [
    '$CATEGORY: TCP//IP/Ports',
    'Was stimmt?{=SSH ~HTTP}',
    'Was stimmt?{=TLS ~FTP}',
    'Was stimmt?{=TLS ~FTP}',
    '$CATEGORY: Netze',
    'Was stimmt?{=TLS ~FTP}',
  ].join('\n\n')
  const { decks, warnings } = await read(t, gift)
  t.match(decks, [
    {
      name: 'TCP/IP::Ports',
      cards: [
        { identity: { by: 'question' }, answer: 'SSH' },
        { identity: { by: 'id' }, answer: 'TLS' },
      ],
    },
    { name: 'Netze', cards: [{ identity: { by: 'question' }, answer: 'TLS' }] },
  ])
  t.equal(decks[0]?.cards.length, 2)
  t.match(warnings, [{ line: 7, message: /Dieselbe Frage/ }])
  const xml = [...writeMoodle([{ names: ['TCP/IP', 'Ports'], questions: [] }])].join('')
  t.match(xml, '<text>$course$/top/TCP//IP/Ports</text>')
})

t.test('reads Moodle XML and Aiken', async (t) => {
  const question = '<question type="truefalse"><questiontext><text>Gut?</text></questiontext>'
  const answers = '<answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer>'
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<quiz>${question}${answers}</question></quiz>`
  t.match((await read(t, xml)).decks, [{ name: 'Fragen', cards: [{ question: 'Gut?', answer: 'Wahr' }] }])
  const aiken = Buffer.from('Gr\xfc\xdfe?\nA) ja\nB) nein\nANSWER: B\n', 'latin1')
  const { decks, warnings } = await read(t, aiken)
  t.match(decks, [{ cards: [{ question: 'Grüße?', answer: 'nein' }] }])
  t.match(warnings, [{ message: /Windows-1252/ }])
})

t.test('takes a tag with spaces as level', async (t) => {
  const tags = (...names: string[]) => `<tags>${names.map((name) => `<tag><text>${name}</text></tag>`).join('')}</tags>`
  const levelOf = async (xml: string, levels: string[]) => {
    const question = `<question type="shortanswer"><questiontext><text>Was?</text></questiontext>${xml}`
    const answer = '<answer fraction="100"><text>das</text></answer></question>'
    const { decks } = await read(t, `<quiz>${question}${answer}</quiz>`, undefined, levels)
    return decks[0]?.cards[0]?.level
  }
  t.equal(await levelOf(tags('IT Sicherheit', 'neu'), []), 'IT Sicherheit')
  t.equal(await levelOf(tags('marked', 'IT  \n Sicherheit'), []), 'IT Sicherheit')
  t.equal(await levelOf(tags('neu', 'IT Sicherheit'), ['IT_Sicherheit', 'IT Sicherheit']), 'IT Sicherheit')
  t.equal(await levelOf(tags('neu', 'it sicherheit'), ['IT Sicherheit']), 'IT Sicherheit')
  t.equal(await levelOf(tags('IT Sicherheit'), ['IT_Sicherheit']), 'IT_Sicherheit', 'as an earlier import wrote it')
  t.equal(await levelOf(tags('IT Sicherheit'), ['IT']), 'IT Sicherheit')
})

t.test('a file without a usable question has faults', async (t) => {
  t.same(await faultsOf(t, '<quiz></quiz>'), ['fragen.txt:1: Die Datei enthält keine Frage'])
  t.same(await faultsOf(t, '::Titel::Was?{}\n\nText'), [
    'fragen.txt:1: Die Frage „Titel“ wird nicht übernommen: Eine Freitextaufgabe ohne Musterlösung hat keine Antwort',
    'fragen.txt:3: Die Frage „Text“ wird nicht übernommen: Der Text enthält keine Antworten in { }',
  ])
  t.match(await faultsOf(t, `<quiz>\n${'<question>'.repeat(50)}`), [/^fragen.txt:2: Mehr als 20 Elemente/])
  t.same(await faultsOf(t, '::Titel::Was\0?{=a}'), ['fragen.txt:1: NUL-Zeichen sind nicht erlaubt'])
})

t.test('lists ten questions that are refused for one reason, whatever their words', async (t) => {
  const faulty = Array.from({ length: 250 }, (_, at) => `::Frage ${at}::Wie viel?{#etwa ${at}}`).join('\n\n')
  const { decks, warnings, warningsTotal } = await read(t, `HTTPS?{#443}\n\n${faulty}`)
  t.match(decks, [{ cards: { length: 1 } }])
  t.strictSame([warnings.length, warningsTotal], [11, 250])
  t.match(warnings.at(-1), {
    line: 23,
    message: '… und 240 weitere dieser Art: Die Frage „Frage 0“ wird nicht übernommen: „etwa 0“ ist keine Zahl',
    more: 240,
  })
  t.equal((await faultsOf(t, faulty)).length, 250, 'no question can be imported')
})

t.test('only the question that cannot be stored is refused', async (t) => {
  const many = `Zu viele?{${Array.from({ length: 40 }, (_, index) => `=a${index}`).join('')}}`
  const { decks, warnings } = await read(t, `${many}\n\nGut?{=ja}`)
  t.match(decks, [{ cards: [{ question: 'Gut?' }] }])
  t.equal(decks[0]?.cards.length, 1)
  t.match(warnings, [
    { line: 1, message: '„Zu viele?“: wird nicht übernommen: Eine Karte hat höchstens 30 Antworten zur Auswahl' },
  ])
  t.match(await faultsOf(t, many), [/^fragen.txt:1: .*höchstens 30/])
})

t.test('reads 10,000 questions', async (t) => {
  const gift = Array.from({ length: 10_000 }, (_, index) => `Frage ${index}?{=richtig ~falsch ~auch falsch}`).join(
    '\n\n',
  )
  const { decks } = await read(t, gift)
  t.equal(decks[0]?.cards.length, 10_000)
})
