import t from 'tap'
import { gifOf, targetOf } from '../support/pictures.js'
import { startService } from '../support/service.js'

const service = await startService(t)
const admin = await service.admin()

const OCTETS = { headers: { 'content-type': 'application/octet-stream' } }
const upload = (query: string, file: string) => admin.post(`/api/content/imports?${query}`, Buffer.from(file), OCTETS)
const exerciseOf = async (question: string) => {
  const { exercise } = await service.db
    .selectFrom('cards')
    .select('exercise')
    .where('question', '=', question)
    .executeTakeFirstOrThrow()
  return exercise
}

const gift = (right: string) => `::Port::HTTPS?{=${right} ~22#SSH}\n\nFreitext?{####Muster}\n\nNur ein Text`

t.test('a question file becomes cards with exercises, and updates them', async (t) => {
  const first = await upload('name=Fragen.gift', gift('443'))
  t.equal(first.body.source.name, 'Fragen')
  t.match(first, { status: 200, body: { stats: { cards: { created: 2 } } } })
  t.match(
    first.body.stats.warnings.map(({ file, line, message }: Record<string, string>) => `${file}:${line}: ${message}`),
    [
      // A warning of the linter: the question has only two options.
      /^Fragen.gift:1: .*Nur 2 Antworten/,
      'Fragen.gift:3: „Freitext?“: Die Freitextaufgabe wird eine Karte ohne Test',
      /^Fragen.gift:5: Die Frage „Nur ein Text“ wird nicht übernommen/,
    ],
  )
  t.match(await exerciseOf('HTTPS?'), {
    form: 'choice',
    options: [
      { text: '443', correct: true, feedback: null },
      { text: '22', correct: false, feedback: 'SSH' },
    ],
  })
  t.equal(await exerciseOf('Freitext?'), null)
  const source = `source=${first.body.source.id}`
  t.match((await upload(source, gift('443'))).body.stats.cards, { updated: 0, unchanged: 2 })
  t.match((await upload(source, gift('8443'))).body.stats.cards, { updated: 1, unchanged: 1 })
  t.match(await exerciseOf('HTTPS?'), { options: [{ text: '8443' }, {}] })
  // This file differs from the previous one only in the exercise of a question.
  const other = gift('8443').replace('~22', '~25')
  t.match((await upload(source, other)).body.stats.cards, { updated: 1, unchanged: 1 })
  t.match(await exerciseOf('HTTPS?'), { options: [{}, { text: '25' }] })
})

t.test('a table keeps the exercise of a card', async (t) => {
  const first = await upload('name=Behalten.gift', 'SSH?{=22 ~443 ~80}')
  const table = 'Frage;Antwort\nSSH?;zweiundzwanzig\n'
  t.match(await upload(`source=${first.body.source.id}`, table), {
    status: 200,
    body: { stats: { cards: { updated: 1 } } },
  })
  t.match(await exerciseOf('SSH?'), { options: [{ text: '22' }, {}, {}] })
})

t.test('pictures of Moodle XML become media that learners see', async (t) => {
  const file = (name: string, bytes: Buffer) =>
    `<file name="${name}" encoding="base64">${bytes.toString('base64')}</file>`
  const option = (percent: number, bytes: Buffer) =>
    `<answer fraction="${percent}" format="html"><text>&lt;img src="@@PLUGINFILE@@/a.gif"></text>${file('a.gif', bytes)}</answer>`
  const [asked, right, wrong] = [gifOf('Plan'), gifOf('ja'), gifOf('nein')]
  const svg = file('c.svg', Buffer.from('<svg></svg>'))
  const xml = `<quiz><question type="multichoice"><name><text>Bilder</text></name>
<questiontext format="html"><text>Welches Bild? &lt;img src="@@PLUGINFILE@@/plan.gif" alt="Plan">&lt;img src="@@PLUGINFILE@@/c.svg"></text>${file('plan.gif', asked)}${svg}</questiontext>
${option(100, right)}${option(0, wrong)}</question></quiz>`
  const { status, body } = await upload('name=Bilder.xml', xml)
  t.equal(status, 200)
  t.match(
    body.stats.warnings.find(({ message }: { message: string }) => message.includes('c.svg')),
    { line: 1, message: /Das Bild „c\.svg“ ist weder PNG noch JPEG.*sein Name steht im Text/ },
  )
  const question = `Welches Bild? ![Plan](${targetOf(asked)})[Bild: c.svg]`
  t.match(await exerciseOf(question), {
    options: [{ text: `![](${targetOf(right)})` }, { text: `![](${targetOf(wrong)})` }],
  })
  const member = await service.member()
  for (const bytes of [asked, right, wrong]) {
    t.equal((await member.get(`/api/content/${targetOf(bytes)}`)).status, 200)
  }
})

t.test('a hostile file is refused and changes nothing', async (t) => {
  const bomb = '<quiz><!DOCTYPE quiz [<!ENTITY a "x">]><question type="essay"></question></quiz>'
  const response = await upload('name=Bombe.xml', bomb)
  t.equal(response.status, 400)
  t.match(response.body, { errors: [{ file: 'Bombe.xml', line: 1, message: /DOCTYPE/ }] })
})
