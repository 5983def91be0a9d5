import t from 'tap'
import { isEmptyField } from '../../../src/domain/anki/read/filters.js'
import { type NoteType, parseSides } from '../../../src/domain/anki/read/note-type.js'
import { addsWords, renderCard, splitAtAnswerLine, withoutQuestion } from '../../../src/domain/anki/read/render-card.js'

function render(
  front: string,
  back: string,
  fields: Record<string, string>,
  options: { isCloze?: boolean; ord?: number } = {},
) {
  const template = { name: 'Karte 1', ord: 0, front, back }
  const type: NoteType = {
    id: '1',
    name: 'Basis',
    isCloze: options.isCloze ?? false,
    fields: Object.keys(fields),
    templates: [template],
    css: '',
  }
  const note = { fields: Object.values(fields), tags: ' a b ' }
  return renderCard(type, template, parseSides(template), note, options.ord ?? 0, 'A::B')
}
const questionOf = (front: string, fields: Record<string, string>) => {
  const card = render(front, '', fields)
  return 'question' in card ? card.question : card.skipped
}

t.test('fields, conditions and special fields', async (t) => {
  t.equal(questionOf('{{A}}-{{ B }}-{{{A}}}-{{C}}', { A: '1', B: '<b>2</b>' }), '1-<b>2</b>-1-')
  t.equal(questionOf('{{#A}}a{{#B}}b{{/B}}{{/A}}{{^B}}c{{/B}}', { A: 'x', B: '<br>&nbsp;' }), 'ac')
  t.equal(questionOf('{{Tags}}|{{Type}}|{{Deck}}|{{Subdeck}}|{{Card}}', {}), 'a b|Basis|A::B|B|Karte 1')
  t.equal(questionOf('<!-- {{A}} {{#B}} -->x', { A: '1' }), 'x')
  t.equal(questionOf('{{=<% %>=}}<%A%>', { A: '1' }), '1')
})

t.test('applies the filters of a field and ignores unknown ones', async (t) => {
  const fields = { A: 'a <b>b</b> &lt;', F: ' 漢字[かんじ] と 字[じ] [sound:x.mp3]', H: 'h' }
  t.equal(questionOf('{{text:A}}', fields), 'a b &lt;')
  t.equal(
    questionOf('{{furigana:F}}', fields),
    '<ruby>漢字<rt>かんじ</rt></ruby> と<ruby>字<rt>じ</rt></ruby> [sound:x.mp3]',
  )
  t.equal(questionOf('{{kanji:F}}', fields), '漢字 と字 [sound:x.mp3]')
  t.equal(questionOf('{{kana:F}}', fields), 'かんじ とじ [sound:x.mp3]')
  t.equal(questionOf('{{type:H}}{{tts de_DE:H}}{{von-sonstwem:H}}', fields), 'h')
  t.match(render('x', '{{FrontSide}}<hr id=answer>{{type:H}}', fields), { answer: '<hr id=answer>h' })
})

t.test('a hint is hidden on the front and follows the answer', async (t) => {
  const fields = { F: 'f', H: '<b>h</b>', L: '<br>' }
  t.same(render('{{F}}<br>{{hint:H}}{{hint:L}}', '{{FrontSide}}<hr id=answer>a', fields), {
    question: 'f<br>',
    answer: '<hr id=answer>a<div><i>H:</i> <b>h</b></div>',
  })
  t.same(
    render('{{F}}{{hint:H}}', 'a{{hint:H}}', fields),
    { question: 'f', answer: 'a<b>h</b>' },
    'the answer template contains the hint itself',
  )
  t.same(
    render('<p>{{hint:H}}</p>', 'a', fields),
    { question: '<p><b>h</b></p>', answer: 'a' },
    'otherwise the front would be empty',
  )
})

t.test('an answer to type is shown on the back', async (t) => {
  const fields = { F: 'f', T: '<b>the</b> answer', N: 'note', P: '+' }
  const answerOf = (front: string, back: string) => {
    const card = render(front, back, fields)
    return 'answer' in card ? card.answer : card.skipped
  }
  t.same(render('{{F}}{{type:T}}', '{{FrontSide}}<hr id=answer>{{N}}', fields), {
    question: 'f',
    answer: '<hr id=answer><div><b>the</b> answer</div>note',
  })
  t.equal(answerOf('{{F}}{{type:T}}', '{{FrontSide}} {{N}}'), '<div><b>the</b> answer</div> note')
  t.equal(answerOf('{{F}}{{type:P}}', '<hr>'), '<div>+</div><hr>', 'the answer is a punctuation mark')
  t.equal(
    answerOf('{{F}}{{type:T}}', '{{F}}<hr id=answer>(The <i>{{T}}</i>)'),
    'f<hr id=answer>(The <i><b>the</b> answer</i>)',
  )
  t.equal(answerOf('{{F}}{{type:F}}', 'four'), '<div>f</div>four', 'a part of a word is not the word')
})

t.test('shows the gap of the card, and skips a card whose gap is missing', async (t) => {
  const fields = { Text: '{{c1::a}} {{c2::b}}' }
  t.same(
    render('{{#c2}}zwei {{/c2}}{{cloze:Text}}', '{{cloze:Text}}{{type:cloze:Text}}', fields, { isCloze: true, ord: 1 }),
    {
      question: 'zwei a […]',
      answer: 'a <b>b</b>b',
    },
  )
  t.same(render('{{cloze:Text}}', '', fields, { isCloze: true, ord: 2 }), { skipped: 'die Lücke 3 fehlt' })
  t.same(render('{{cloze:Text}}', '', { Text: '{{c1::image-occlusion:rect}}' }, { isCloze: true }), {
    skipped: 'Image Occlusion',
  })
})

t.test('skips the cards of a malformed template with a reason', async (t) => {
  for (const [front, reason] of [
    ['{{#A}}', '„{{#A}}“ wird nicht beendet'],
    ['{{/A}}', '„{{/A}}“ beendet nichts'],
    ['{{#A}}{{#B}}{{/A}}{{/B}}', '„{{/A}}“ beendet nichts'],
    ['{{A', 'einem {{ fehlt sein }}'],
    ['{{#A}}'.repeat(200), 'die Bedingungen sind zu tief verschachtelt'],
  ] as const) {
    t.same(render(front, '', {}), { skipped: `die Vorlage „Karte 1“ ist nicht lesbar: ${reason}` })
  }
})

t.test('limits a field that includes itself repeatedly', async (t) => {
  t.same(render('{{A}}'.repeat(1_000), 'x', { A: 'x'.repeat(2 ** 20) }), { skipped: 'der Text ist zu lang' })
})

t.test('splits the back at the first answer line', async (t) => {
  t.same(splitAtAnswerLine('a<hr id=answer>b'), ['a<hr id=answer>', 'b'])
  t.same(splitAtAnswerLine('a<HR class="x" id="answer" />b<hr id=answer>c'), [
    'a<HR class="x" id="answer" />',
    'b<hr id=answer>c',
  ])
  t.equal(splitAtAnswerLine('a<hr id=answers>b<hr>c'), undefined)
})

t.test('removes a question repeated above a line in the answer', async (t) => {
  t.equal(withoutQuestion('a  \nb\n\n---\n\nc', 'a  \nb'), 'c')
  t.equal(withoutQuestion('a\n\nc', 'a'), 'a\n\nc')
  t.equal(withoutQuestion('a2\n\n---\n\nc', 'a'), 'a2\n\n---\n\nc')
  t.equal(withoutQuestion('b\n\na\n\n---\n\nc', 'a'), 'b\n\n---\n\nc', 'below other text')
})

t.test('finds words that the question does not have', async (t) => {
  t.notOk(addsWords('**Was** ist – SSH\n\n---\n\n', 'Was ist `SSH`?'))
  t.ok(addsWords('Was ist SSH', 'Was ist S'))
  t.ok(addsWords('a ![](media/1.png)', 'a ![](media/2.png)'))
  t.notOk(addsWords(' --- ', ''))
})

t.test('a field is empty if it shows nothing', async (t) => {
  for (const empty of ['', ' ', '<br>', '<div><br /></div>', '&nbsp;\n']) t.ok(isEmptyField(empty), empty)
  for (const full of ['a', '<img src=a>', '&amp;', '<hr>']) t.notOk(isEmptyField(full), full)
})
