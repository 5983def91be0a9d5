import t from 'tap'
import { readMoodle, writeMoodle } from '../../../src/domain/moodle/index.js'
import { MAX_PICTURE_BYTES } from '../../../src/domain/pictures/index.js'
import { type ExerciseInput, parseExercise } from '../../../src/domain/questions/exercise.js'
import { toMoodleQuestion } from '../../../src/domain/questions/moodle-question.js'
import fc, { runs } from '../../support/property.js'
import { findFaults, LIMITS } from '../../support/read-questions.js'

const quiz = (...questions: string[]) => `<?xml version="1.0"?>\n<quiz>\n${questions.join('\n')}\n</quiz>`
const text = (content: string) => `<text>${content}</text>`
const cdata = (content: string) => text(`<![CDATA[${content}]]>`)

function question(type: string, inside: string, asked = text('Frage')): string {
  return `<question type="${type}"><name>${text('Name')}</name><questiontext format="html">${asked}</questiontext>${inside}</question>`
}

function answer(percent: number | string, content: string, inside = ''): string {
  return `<answer fraction="${percent}" format="html">${text(content)}${inside}</answer>`
}

function read(...questions: string[]) {
  const result = readMoodle(quiz(...questions), LIMITS)
  return { ...result, faults: findFaults(result) }
}

t.test('reads choices with category, id, tags, feedback and explanation', async (t) => {
  const inside = [
    `<generalfeedback format="html">${cdata('<p>Siehe <a href="https://example.org">hier</a>.</p>')}</generalfeedback>`,
    '<idnumber>a &amp; b</idnumber><single>true</single>',
    answer('0', 'zwei', `<feedback format="html">${text('Nein')}</feedback>`),
    answer('100.00000', '&lt;b&gt;eins&lt;/b&gt;'),
    `<tags><tag>${text('netz')}</tag></tags>`,
  ].join('\n')
  const { questions, refused, fault, faults } = read(
    `<question type="category"><category>${text('$course$/top/Netze/Ports')}</category></question>`,
    question('multichoice', inside, cdata('<p>Was ist&nbsp;<em>das</em>?</p>')),
  )
  t.strictSame([refused, fault, faults], [[], undefined, []])
  t.strictSame(questions, [
    {
      line: 4,
      id: 'a & b',
      category: 'Netze/Ports',
      tags: ['netz'],
      question: 'Was ist _das_?',
      answer: '**eins**\n\nSiehe [hier](https://example.org).',
      exercise: {
        form: 'choice',
        options: [
          { text: 'zwei', correct: false, feedback: 'Nein' },
          { text: '**eins**', correct: true, feedback: null },
        ],
        tolerance: null,
        unit: null,
      },
      changes: [],
      files: [],
    },
  ])
})

t.test("keeps the line breaks of Moodle's own format, except next to a tag", async (t) => {
  const asked = (format: string, content: string) =>
    `<question type="essay"><questiontext format="${format}">${cdata(content)}</questiontext><generalfeedback>${text('x')}</generalfeedback></question>`
  const { questions } = read(
    asked('moodle_auto_format', 'Erst\ndann\n\nzuletzt'),
    asked('moodle_auto_format', '<ul>\n<li>eins</li>\n<li>zwei</li>\n</ul>'),
    asked('html', 'Erst\ndann'),
  )
  t.same(
    questions.map(({ question }) => question.replaceAll(/ +$/gm, '')),
    ['Erst\ndann\n\nzuletzt', '- eins\n- zwei', 'Erst dann'],
  )
})

t.test('reads every form', async (t) => {
  const { questions, refused, faults } = read(
    question(
      'multichoice',
      `<single>false</single>${answer('33.33333', 'a')}${answer('33.33333', 'b')}${answer('33.33333', 'c')}${answer('-50', 'd')}`,
    ),
    question('truefalse', `${answer('0', 'true')}${answer('100', 'false')}`),
    question('shortanswer', `<usecase>1</usecase>${answer('100', 'Rom')}${answer('100', 'R&lt;m')}${answer('0', '*')}`),
    question(
      'numerical',
      `${answer('100', '2.5', '<tolerance>0.1</tolerance>')}<units><unit><multiplier>1</multiplier><unit_name>MB</unit_name></unit></units>`,
    ),
    question('ordering', `${answer('1', 'eins')}${answer('2', 'zwei')}`),
    question(
      'matching',
      `<subquestion format="html">${text('Frosch')}<answer>${text('Lurch')}</answer></subquestion><subquestion>${text('')}<answer>${text('Insekt')}</answer></subquestion>`,
    ),
    question(
      'cloze',
      '',
      cdata('<p>In {1:SA:=72~=zwei\\}und~%50%siebzig#fast} Stunden, {:NUMERICAL:=3.5:0.1} oder {2:MC:nie~=immer}</p>'),
    ).replace('zwei\\}und', 'zweiundsiebzig'),
    question(
      'gapselect',
      `<selectoption>${text('Katze')}<group>1</group></selectoption><selectoption>${text('Hund')}<group>1</group></selectoption><selectoption>${text('Baum')}<group>2</group></selectoption>`,
      text('Die [[1]] und der [[2]]'),
    ),
    question('essay', `<generalfeedback>${text('Muster')}</generalfeedback>`),
  )
  t.strictSame([refused, faults], [[], []])
  t.match(questions, [
    { answer: '- a\n- b\n- c', changes: { length: 0 } },
    { answer: 'Falsch', exercise: { options: [{ text: 'Wahr' }, { text: 'Falsch', correct: true }] } },
    { answer: 'Rom', exercise: { form: 'text', options: [{ text: 'R&lt;m' }] }, changes: [/Kleinschreibung/] },
    { answer: '2,5 MB', exercise: { form: 'number', tolerance: 0.1, unit: 'MB' } },
    { answer: '1. eins\n2. zwei', exercise: { form: 'order' } },
    { answer: '- Frosch: {{Lurch}}', exercise: { form: 'gaps' } },
    {
      question: 'Name',
      answer: 'In {{72|zweiundsiebzig}} Stunden, {{3,5}} oder {{[ ] nie|immer}}',
      changes: [/Rückmeldungen/, /Teilpunkten/, /Toleranz/],
    },
    { question: 'Name', answer: 'Die {{Katze|[ ] Hund}} und der {{[ ] Katze|Hund}}', changes: { length: 0 } },
    { answer: 'Muster', exercise: null },
  ])
})

t.test('reads numbers with a point or a comma in gaps', async (t) => {
  const { questions, refused, faults } = read(
    question('cloze', '', text('{1:NM:=23,8:0,1}')),
    question('cloze', '', text('{1:NM:=23.8:0} und {1:NM:=-,5:0,0}')),
    question('cloze', '', text('{1:NM:=1.234,5}')),
  )
  t.match(refused, [{ line: 5, reason: '„1.234,5“ ist keine Zahl' }])
  t.strictSame(faults, [])
  t.strictSame(
    questions.map(({ answer, changes }) => [answer, changes]),
    [
      ['{{23,8}}', ['Die Toleranz von Zahlen in Lücken entfällt']],
      ['{{23,8}} und {{-,5}}', []],
    ],
  )
})

t.test('decodes the entities of HTML in gaps', async (t) => {
  const gap = (inside: string) => read(question('cloze', '', cdata(inside))).questions[0]?.answer
  t.equal(gap('{1:SA:=&Uuml;bung}'), '{{Übung}}')
  t.equal(gap('{1:SA:=L&#39;&eacute;t&#xe9;#Genau}'), "{{L'été}}")
  t.equal(gap('{1:MC:a &lt;&nbsp;b~=&amp;lt; <b>c</b>}'), '{{[ ] a < b|&lt; c}}')
  t.equal(gap('{1:SA:=a<b & c&d &unknown;}'), '{{a<b & c&d &unknown;}}')
  const options = `<selectoption>${cdata('&uuml;ber')}</selectoption><selectoption>${cdata('unter')}</selectoption>`
  const { questions, faults } = read(question('gapselect', options, text('Er steht [[1]]')))
  t.match(questions, [{ answer: 'Er steht {{über|[ ] unter}}' }])
  t.strictSame(faults, [])
})

t.test('reads questions with self-closing elements', async (t) => {
  const inside = `<generalfeedback format="html"><text/></generalfeedback><idnumber/>${answer(100, 'ja')}${answer(0, 'nein')}<hint format="html">${text('Tipp')}<shownumcorrect/><clearwrong /></hint><tags/>`
  const { questions, refused } = read(question('multichoice', inside))
  t.strictSame(refused, [])
  t.match(questions, [{ id: null, answer: 'ja', exercise: { options: { length: 2 } } }])
})

t.test('keeps the pictures of its own export', async (t) => {
  const picture = `![Plan](media/${'a'.repeat(64)}.png)`
  const stored = { key: 'plan', level: '', question: `${picture} Was ist das?`, answer: picture, exercise: null }
  const xml = [...writeMoodle([{ names: ['Pläne'], questions: [toMoodleQuestion(stored)] }])].join('')
  t.match(readMoodle(xml, LIMITS).questions, [{ question: stored.question, answer: picture, changes: { length: 0 } }])
})

t.test('keeps the embedded pictures of each text', async (t) => {
  const file = (name: string, content: string, path = '/') =>
    `<file name="${name}" path="${path}" encoding="base64">${Buffer.from(content).toString('base64').replace(/^.../, '$&\n')}</file>`
  const asked = `${cdata('<img src="@@PLUGINFILE@@/Plan%201.png?time=7" alt="Plan"> <img src="@@PLUGINFILE@@/teil/plan.png"> <img src="@@PLUGINFILE@@/fehlt.png">Wo?')}${file('Plan 1.png', 'gut')}${file('plan.png', 'schlecht', '/teil/')}${file('ton.mp3', 'laut')}`
  const option = (percent: number, name: string, content: string) =>
    `<answer fraction="${percent}" format="markdown">${text(`![${name}](@@PLUGINFILE@@/a.png)`)}${file('a.png', content)}</answer>`
  const kept: string[] = []
  const { questions } = readMoodle(
    quiz(question('multichoice', `${option(100, 'ja', 'gut a')}${option(0, 'nein', 'gut b')}`, asked)),
    LIMITS,
    (bytes) => {
      const content = Buffer.from(bytes).toString()
      if (!content.startsWith('gut')) return { problem: 'ist kein Bild' }
      kept.push(content)
      return { target: `media/${content.replace(' ', '-')}.png` }
    },
  )
  t.strictSame(kept, ['gut a', 'gut b', 'gut'])
  t.match(questions, [
    {
      question: '![Plan](media/gut.png) [Bild: plan.png] [Bild: fehlt.png]Wo?',
      exercise: { options: [{ text: '![ja](media/gut-a.png)' }, { text: '![nein](media/gut-b.png)' }] },
      files: [
        'Das Bild „teil/plan.png“ ist kein Bild; sein Name steht im Text',
        'Das Bild „fehlt.png“ fehlt in der Datei; sein Name steht im Text',
        'Die Datei „ton.mp3“ wird nicht übernommen',
      ],
    },
  ])
  const large = `${cdata('<img src="@@PLUGINFILE@@/a.png">Wo?')}<file name="a.png">${'QUJD'.repeat(2_000_000)}</file>`
  let size = 0
  readMoodle(quiz(question('shortanswer', answer('100', 'hier'), large)), LIMITS, ({ length }) => {
    size = length
    return { problem: 'ist zu groß' }
  })
  t.ok(size > MAX_PICTURE_BYTES && size < 4_000_000, `${size} bytes`)
})

t.test('keeps pictures that an address contains, of any length', async (t) => {
  const address = (content: string, type = 'png') =>
    `data:image/${type};base64,${Buffer.from(content).toString('base64')}`
  const keep = (bytes: Uint8Array) => {
    const content = Buffer.from(bytes).toString()
    return content.startsWith('gut') ? { target: `media/${content.length}.png` } : { problem: 'ist kein Bild' }
  }
  const long = `gut${'x'.repeat(5 * LIMITS.maxLength)}`
  const asked = cdata(
    `<img src="${address(long)}" alt="Plan"> <img src="${address('schlecht', 'svg+xml')}"> <code>data:image/png;base64,AAAA</code> Wo?`,
  )
  const markdown = `<question type="shortanswer"><questiontext format="markdown">${text(`![a](${address('gut')}) ![b](${address('schlecht')}) Was?`)}</questiontext>${answer('100', 'da')}</question>`
  const { questions, refused } = readMoodle(
    quiz(question('shortanswer', answer('100', 'hier'), asked), markdown),
    LIMITS,
    keep,
  )
  t.strictSame(refused, [])
  const files = ['Das Bild „eingebettet“ ist kein Bild; sein Name steht im Text']
  t.match(questions, [
    { question: `![Plan](media/${long.length}.png) [Bild: eingebettet] \`data:image/png;base64,AAAA\` Wo?`, files },
    { question: /^!\[a\]\(media\/3\.png\) !\\\[b\]/, files },
  ])
  t.equal(questions[0]?.files.length, 1)
  const endless = `data:image/png;base64,${'A'.repeat(9)} ${'x'.repeat(5 * LIMITS.maxLength)}`
  t.match(read(question('shortanswer', answer('100', 'x'), cdata(`<img src="a"> ${endless}`))).refused, [{}])
})

t.test('reports pictures, sounds and hints', async (t) => {
  const asked = `${cdata('<img src="@@PLUGINFILE@@/plan.png" alt="Plan"> <audio src="@@PLUGINFILE@@/ton.mp3"></audio>Wo?')}<file name="plan.png" encoding="base64">${'QUJD'.repeat(100_000)}</file>`
  const markdown = `<question type="shortanswer"><questiontext format="markdown">${text('![Plan](@@PLUGINFILE@@/b.png) Wo?')}</questiontext>${answer('100', 'da')}<hint>${text('Tipp')}</hint></question>`
  const { questions, faults } = read(question('shortanswer', answer('100', 'hier'), asked), markdown)
  t.strictSame(faults, [])
  t.match(questions[0], { changes: [/Ton oder Film/], files: [/Das Bild „.*plan.png“ wird nicht übernommen/] })
  t.notMatch(questions[0]?.question, /QUJD/)
  t.match(questions[1], {
    question: '!\\[Plan](@@PLUGINFILE@@/b.png) Wo?',
    changes: [/Hinweise/],
    files: [/„b.png“ fehlt in der Datei/],
  })
  const linked = '![Skizze](skizze.png) ![Karte](https://example.org/karte.png) Wo?'
  const relative = `<question type="shortanswer"><questiontext format="markdown">${text(linked)}</questiontext>${answer('100', 'da')}</question>`
  t.match(read(relative).questions, [
    {
      question: `!\\${linked.slice(1)}`,
      files: ['Das Bild „skizze.png“ fehlt in der Datei; sein Name steht im Text'],
    },
  ])
})

t.test('refuses questions with a reason and their line', async (t) => {
  const { questions, refused } = read(
    question('ddmarker', ''),
    question('description', ''),
    question('multichoice', answer('100', 'a')),
    question('multichoice', `${answer('viel', 'a')}${answer('0', 'b')}`),
    question('multichoice', `${answer('100', '')}${answer('0', 'b')}`),
    question('numerical', answer('100', '1,5')),
    question(
      'numerical',
      `${answer('100', '1')}<units><unit><multiplier>2</multiplier><unit_name>m</unit_name></unit></units>`,
    ),
    question('ordering', answer('1', 'a')),
    question('cloze', '', text('Ohne Lücke')),
    question('cloze', '', text('{1:MULTIRESPONSE:=a~=b}')),
    question('cloze', '', text('{1:MC:a~%50%b}')),
    question('cloze', '', text('{1:SA:=a')),
    question('cloze', '', text('{1:NM:=zero}')),
    question('ddwtos', '', text('[[1]]')),
    question('essay', ''),
    question('shortanswer', answer('100', 'a'), text('')),
    question('shortanswer', answer('100', 'a'), text('b'.repeat(70_000))),
  )
  t.strictSame(questions, [])
  t.match(
    refused.map(({ reason }) => reason),
    [
      /Art „ddmarker“/,
      /ohne Frage/,
      /Keine Antwort ist falsch/,
      /keine Zahl/,
      /leer/,
      /„1,5“ ist keine Zahl/,
      /Faktor 1/,
      /weniger als zwei/,
      /keine Lücke/,
      /„MULTIRESPONSE“/,
      /keine ganz richtige/,
      /schließende Klammer/,
      /„zero“/,
      /\[\[1\]\]/,
      /Musterlösung/,
      /Die Frage ist leer/,
      /länger als 65536/,
    ],
  )
  t.strictSame(
    refused.map(({ line }) => line),
    refused.map((_, index) => index + 3),
  )
  t.ok(refused.every(({ name }) => name === 'Name'))
})

t.test('refuses texts that contain HTML as elements', async (t) => {
  const bold = text('Was ist <b>fett</b>?')
  const pair = (left: string, right: string) => `<subquestion>${left}<answer>${right}</answer></subquestion>`
  const { questions, refused } = read(
    question('shortanswer', answer('100', 'a'), bold),
    question('shortanswer', answer('100', '<i>a</i>')),
    question('shortanswer', answer('100', 'a', `<feedback>${bold}</feedback>`)),
    question('shortanswer', `${answer('100', 'a')}<generalfeedback>${bold}</generalfeedback>`),
    question('matching', pair(bold, text('a'))),
    question('matching', pair(text('a'), bold)),
    question('gapselect', `<selectoption>${bold}</selectoption>`, text('[[1]]')),
    question(
      'shortanswer',
      answer('100', 'a'),
      `${text('Was ist &lt;b&gt;fett&lt;/b&gt;?')}<file name="a.png">QUJD</file>`,
    ),
  )
  t.match(questions, [{ question: 'Was ist **fett**?' }])
  t.strictSame(
    refused.map(({ line, reason }) => [line, reason.replace('<i>', '<b>')]),
    [3, 4, 5, 6, 7, 8, 9].map((line) => [line, 'Ein Text enthält <b> als Element; HTML muss in CDATA stehen']),
  )
})

t.test('hostile files end with a fault, in linear time', async (t) => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;">]>${quiz().slice(21)}`
  t.match(readMoodle(bomb, LIMITS), { questions: { length: 0 }, fault: { line: 1, message: /DOCTYPE/ } })
  const good = question('shortanswer', answer('100', 'a'))
  t.match(read(good, question('shortanswer', '<a>'.repeat(30))), {
    questions: [{}],
    fault: { line: 4, message: /geschachtelt/ },
  })
  t.match(read(question('shortanswer', '<a/>'.repeat(3_000))), { fault: { message: /mehr als 2000 Elemente/ } })
  t.match(readMoodle('<html></html>', LIMITS), { fault: { message: 'Die Datei beginnt mit <html> statt mit <quiz>' } })
  t.match(readMoodle('nur Text', LIMITS), { fault: { message: 'Die Datei hat kein Element <quiz>' } })
  t.match(readMoodle(quiz(good).slice(0, -60), LIMITS), {
    questions: { length: 0 },
    refused: [{ reason: 'Die Frage ist unvollständig: ein Element hat kein Ende' }],
  })
  t.match(read(question('shortanswer', answer('100', 'a').replace('</answer>', '')), good), {
    questions: { length: 1 },
    refused: [{ line: 3, reason: 'Die Frage ist unvollständig: ein Element hat kein Ende' }],
  })
  t.match(readMoodle(quiz(...new Array<string>(20).fill(good)), { ...LIMITS, maxQuestions: 10 }), {
    questions: { length: 10 },
    refused: [{ line: 13, reason: 'Die Datei hat mehr als 10 Fragen' }],
  })
  t.match(read(question('shortanswer', answer('100', '&unknown;'))).questions, [{ answer: '&amp;unknown;' }])
  t.strictSame(read(question('shortanswer', answer('100', 'a&#0;&#xfdd8;0&#xfdd9;'))).faults, [])
})

t.test('property: cards come back equal', async () => {
  const word = fc.string({ unit: fc.constantFrom(...'abä ß1<&>"\'{}*_`[]#~=\\/:|-.\n]'), minLength: 1, maxLength: 12 })
  const line = word.map((text) => `x${text.replaceAll(/\s+/g, ' ').trim()}y`)
  const plain = fc.string({ unit: fc.constantFrom(...'abäß1'), minLength: 1, maxLength: 9 }).map((text) => `x${text}`)
  const options = (correct: boolean) =>
    fc.record({ text: line, correct: fc.constant(correct), feedback: fc.option(line) })
  const wrongs = fc.array(options(false), { minLength: 1, maxLength: 4 })
  const exercise: fc.Arbitrary<{ answer: string; input: ExerciseInput | null }> = fc.oneof(
    fc.tuple(fc.array(options(true), { minLength: 1, maxLength: 3 }), wrongs, line).map(([rights, wrongs, answer]) => {
      return { answer: `${answer}\n\n2. Absatz`, input: { form: 'choice', options: [...wrongs, ...rights] } }
    }),
    fc
      .tuple(plain, wrongs)
      .map(([answer, options]) => ({ answer: `**${answer}**`, input: { form: 'choice', options } })),
    fc.tuple(line, fc.array(plain)).map(([answer, texts]) => {
      return { answer, input: { form: 'text', options: texts.map((text) => ({ text, correct: true })) } }
    }),
    fc.tuple(fc.constantFrom('**2,5** MB', 'viele'), fc.constantFrom('3', '3,1420', '-0,5')).map(([answer, text]) => {
      return { answer, input: { form: 'number', tolerance: 0.25, unit: 'MB', options: [{ text, correct: true }] } }
    }),
    fc.array(plain, { minLength: 2, maxLength: 4 }).map((items) => {
      return {
        answer: `Vorher\n\n${items.map((item, at) => `${at + 1}. ${item}`).join('\n')}`,
        input: { form: 'order' },
      }
    }),
    fc.array(plain, { minLength: 1, maxLength: 3 }).map((gaps) => {
      const lines = gaps.map((gap) => `*In* {{${gap}|~=#/"\\*}} oder {{[ ] =${gap}|${gap}|[ ] %50%}}`)
      return { answer: lines.join('\n'), input: { form: 'gaps' } }
    }),
    line.map((answer) => ({ answer, input: null })),
  )
  const card = fc.record({ key: plain, level: fc.constantFrom('', 'pflicht'), question: line, exercise })
  fc.assert(
    fc.property(fc.array(card, { minLength: 1, maxLength: 5 }), (cards) => {
      const stored = cards.map(({ exercise: { answer, input }, ...rest }) => {
        const faults: string[] = []
        const exercise = input === null ? null : parseExercise(input, answer, (message) => faults.push(message))
        if (faults.length > 0) throw new Error(faults.join())
        return { ...rest, answer, exercise }
      })
      const xml = [...writeMoodle([{ names: ['Netze', 'Ports'], questions: stored.map(toMoodleQuestion) }])].join('')
      const { questions, refused, fault } = readMoodle(xml, LIMITS)
      const back = questions.map(({ id, tags, question, answer, exercise }) => {
        return { key: id, level: tags[0] ?? '', question, answer, exercise }
      })
      if (refused.length > 0 || fault !== undefined) throw new Error(JSON.stringify({ refused, fault }))
      if (JSON.stringify(back) !== JSON.stringify(stored)) {
        throw new Error(`${JSON.stringify(back, undefined, 1)}\ninstead of\n${JSON.stringify(stored, undefined, 1)}`)
      }
      if (questions.some(({ changes, category }) => changes.length > 0 || category !== 'Netze/Ports')) {
        throw new Error(JSON.stringify(questions))
      }
    }),
    { numRuns: runs(300) },
  )
})
