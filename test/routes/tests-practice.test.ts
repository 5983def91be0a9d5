import t from 'tap'
import { prepareCandidate, rankDistractors } from '../../src/domain/quiz/distractors.js'
import { buildPracticeQuestion, prepareAnswer } from '../../src/domain/quiz/practice.js'
import { startBehindLock } from '../support/database.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { gifOf } from '../support/pictures.js'
import { startService } from '../support/service.js'
import { CARDS, publishTest } from '../support/taken-tests.js'

const service = await startService(t)
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const learner = await service.member()

const practise = async (deck: string) => (await learner.get(`/api/tests/practice?deck=${deck}&count=50`)).body

t.test('practice offers the wrong options of the author first', async (t) => {
  const deck = await writeDeck(editor, source)
  const wrong = ['Falsch eins', 'Falsch zwei', 'Falsch drei'].map((text) => ({ text, correct: false }))
  await writeCard(editor, deck, { question: 'Eigene?', answer: 'Meine', options: wrong })
  await writeCard(editor, deck, {
    question: 'Liste?',
    answer: 'Darum',
    options: [{ text: 'Ja, das', correct: true }, ...wrong],
  })
  const pool = await writeDeck(editor, source, { tests_only: true })
  await writeCard(editor, pool, { question: 'Vorrat?', answer: 'Geheim' })
  const { questions, deck: named } = await practise(deck)
  t.equal(named, deck)
  for (const { question, options, correct_index, full_answer } of questions) {
    const right = question === 'Eigene?' ? 'Meine' : 'Ja, das'
    t.equal(options[correct_index], right)
    t.equal(full_answer, question === 'Eigene?' ? 'Meine' : 'Darum')
    t.strictSame([...options].sort(), ['Falsch drei', 'Falsch eins', 'Falsch zwei', right].sort())
  }
  t.equal(questions.length, 2)
  t.strictSame((await practise(pool)).questions, [], 'a pool is not available for practice')
  t.strictSame((await practise('nicht-da')).questions, [])
  t.notMatch(JSON.stringify((await learner.get('/api/tests/practice?count=50')).body), /Geheim/)
})

t.test('practice offers answers of the same kind from the same deck, and any of them if there are none', async (t) => {
  const deck = await writeDeck(editor, source)
  for (const port of [22, 80, 443, 3306])
    await writeCard(editor, deck, { question: `Port ${port}?`, answer: `${port} TCP` })
  await writeCard(editor, deck, { question: 'Wozu?', answer: 'Damit Programme einander im Netz finden.' })
  const { questions } = await practise(deck)
  const optionsOf = (asked: string): string[] =>
    questions.find(({ question }: { question: string }) => question === asked).options.toSorted()
  t.strictSame(optionsOf('Port 22?'), ['22 TCP', '3306 TCP', '443 TCP', '80 TCP'])
  t.equal(optionsOf('Wozu?').length, 4)
  t.strictSame(
    optionsOf('Wozu?').filter((option) => !option.endsWith('TCP')),
    ['Damit Programme einander im Netz finden.'],
  )

  const single = await writeDeck(editor, source)
  await writeCard(editor, single, { question: 'Allein?', answer: 'Ja' })
  t.strictSame((await practise(single)).questions, [], 'answers of other decks are no options')
})

t.test('other cards replace those that give no question', async (t) => {
  const deck = await writeDeck(editor, source)
  for (const answer of ['Rom', 'Bern', 'Wien', 'Prag'])
    await writeCard(editor, deck, { question: `${answer}?`, answer })
  const code = `\`\`\`\n${'x = 1\n'.repeat(60)}\`\`\``
  for (let at = 0; at < 12; at++) await writeCard(editor, deck, { question: `Was tut Programm ${at}?`, answer: code })
  const { questions } = (await learner.get(`/api/tests/practice?deck=${deck}&count=4`)).body
  t.strictSame(questions.map(({ question }: { question: string }) => question).sort(), [
    'Bern?',
    'Prag?',
    'Rom?',
    'Wien?',
  ])
})

t.test('all options of a question have one origin', async (t) => {
  const deck = await writeDeck(editor, source)
  const options = [{ text: 'Falsch', correct: false }]
  await writeCard(editor, deck, { question: 'Eigene?', answer: 'Richtig', options })
  for (const answer of ['Rom', 'Bern', 'Wien']) await writeCard(editor, deck, { question: `${answer}?`, answer })
  const { questions } = await practise(deck)
  const own = questions.find(({ question }: { question: string }) => question === 'Eigene?')
  t.strictSame(own.options.toSorted(), ['Falsch', 'Richtig'], 'no answers of the deck beside the options of the author')
})

t.test('an option is a whole paragraph, or ends with a word and outside of code', async (t) => {
  const words = 'Wort '.repeat(55)
  const answers = {
    paragraph: 'Ein Absatz genügt.\n\nDer Rest erklärt ihn nur.',
    list: 'Drei Schritte:\n\n1. eins\n2. zwei\n3. drei',
    long: `${words}Donaudampfschifffahrtsgesellschaft Ende`,
    code: `${words}\`const lang = "nie zerschnitten, auch nicht am Ende"\` Ende`,
    block: `\`\`\`js\n${'a()\n'.repeat(100)}\`\`\``,
  }
  const cards = Object.entries(answers).map(([level, answer], card_id) => {
    return { card_id, question: level, answer, level, exercise: null }
  })
  const prepared = cards.flatMap((card) => prepareAnswer(card) ?? [])
  const rightOf = (level: string) => {
    const card = cards.find((one) => one.level === level)
    const question = card && buildPracticeQuestion(card, 'Deck', prepared, () => 0)
    return question?.options[question.correct_index]
  }
  t.equal(rightOf('paragraph'), 'Ein Absatz genügt.')
  t.equal(rightOf('list'), answers.list)
  t.equal(rightOf('long'), `${words}…`)
  t.equal(rightOf('code'), `${words}…`)
  t.equal(rightOf('block'), undefined, 'a long block of code is no option')
  t.equal(prepared.length, 4)
})

t.test('a wrong option neither equals nor contains the right one, and is the same each time', async (t) => {
  const card = (card_id: number, answer: string) => ({ card_id, question: `Frage ${card_id}`, answer, level: 'a' })
  const deck = ['Rom', 'rom.', 'Rom in Italien', 'Paris', 'Bern', '`rm -r`', '72 Stunden', 'Wien'].map((answer, id) =>
    card(id, answer),
  )
  const ranked = rankDistractors(card(0, 'Rom'), 'Rom', deck.map(prepareCandidate), 3)
  t.strictSame([...ranked].sort(), ['Bern', 'Paris', 'Wien'])
  t.strictSame(rankDistractors(card(0, 'Rom'), 'Rom', deck.map(prepareCandidate), 3), ranked)
})

t.test('distinguishes lists, numbers and their units', async (t) => {
  const kindOf = (answer: string) => prepareCandidate({ card_id: 1, question: 'F', answer, level: 'a' }).kind
  t.equal(kindOf('Zwei:\n\n  1. eins\n  2. zwei'), 'list')
  t.equal(kindOf('\t- eins'), 'list')
  t.equal(kindOf('Nicht -\neins'), 'phrase')
  t.equal(kindOf('72 Stunden'), 'number Stunden')
  t.equal(kindOf('1.000,5 MB'), 'number MB')
  t.equal(kindOf('7,. %'), 'number %')
  t.equal(kindOf('7,5'), 'number ')
  t.equal(kindOf('7 .. a b'), 'phrase')
})

t.test('learners see the pictures of their tests, and those of all introductions', async (t) => {
  const upload = async () => {
    const headers = { 'content-type': 'image/gif' }
    return (await editor.post('/api/content/media', gifOf(unique('bild')), { headers })).body as {
      sha: string
      address: string
    }
  }
  const [asked, introduced] = [await upload(), await upload()]
  const question = { ...CARDS.text, question: `Was ist das? ![](${asked.address})` }
  const introduction = `Hallo ![](${introduced.address})`
  const test = await publishTest(db, { introduction }, { cards: [question], sourceId: source })
  const stranger = await service.member()
  const see = async (caller: typeof learner, { sha }: { sha: string }) =>
    (await caller.get(`/api/content/media/${sha}`)).status
  t.strictSame([await see(learner, introduced), await see(learner, asked)], [200, 404], 'before an attempt has started')
  await learner.post(`/api/tests/${test.slug}/attempts`, { client_id: unique('client') })
  t.strictSame([await see(learner, asked), await see(stranger, asked)], [200, 404])
  const colleague = await createEditor(service, source)
  t.equal(await see(colleague, asked), 200)
  await db.updateTable('tests').set({ archived_at: new Date() }).where('id', '=', test.id).execute()
  t.strictSame([await see(stranger, introduced), await see(learner, asked)], [404, 200], 'archived')
})

t.test('a learner reports a question of an ended attempt to the editors of its pool', async (t) => {
  const pool = await writeDeck(editor, source, { tests_only: true })
  const card = await writeCard(editor, pool, { question: 'Vorrat?', answer: 'Rom' })
  const test = await publishTest(db, { review: 'none' }, { cards: [CARDS.text, CARDS.text], cardIds: [card.id] })
  const taker = await service.member()
  const { attempt } = (await taker.post(`/api/tests/${test.slug}/attempts`, { client_id: unique('client') })).body
  const url = `/api/tests/attempts/${attempt.id}/reports`
  t.equal((await taker.post(url, { slot: 0, text: 'Falsch' })).status, 403, 'while the attempt is open')
  await taker.post(`/api/tests/attempts/${attempt.id}/submit`)
  const statuses = [
    (await taker.post(url, { slot: 0, text: 'Falsch' })).status,
    (await taker.post(url, { slot: 1, text: 'Falsch' })).status,
  ]
  const slotOfCard = statuses.indexOf(200)
  t.strictSame(statuses.sort(), [200, 410], 'the card of one question has been deleted')
  for (const slot of [0, 1]) await taker.post(url, { slot, text: 'Zwei Antworten sind richtig' })
  t.equal((await taker.post(url, { slot: 2, text: 'x' })).status, 404)
  t.equal((await taker.post(url, { slot: 0, text: ' ' })).status, 400)
  t.equal((await learner.post(url, { slot: 0, text: 'x' })).status, 404)
  const { reports } = (await editor.get('/api/content/reports?state=open')).body
  t.match(reports, [{ card: { id: card.id }, text: 'Zwei Antworten sind richtig' }])
  t.match((await taker.get('/api/review/reports')).body.reports, [{ card: null }], 'the pool stays hidden')
  const [late] = await startBehindLock(
    service.database,
    (deletion) => deletion.deleteFrom('cards').where('id', '=', card.id).execute(),
    [() => taker.post(url, { slot: slotOfCard, text: 'Zu spät' })],
  )
  t.match(late, { status: 410 }, 'a report waits for the deletion of the card')
})
