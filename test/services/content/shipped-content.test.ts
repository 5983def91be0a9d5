import t from 'tap'
import { commandLineActor } from '../../../src/commands/actor.js'
import { shorten } from '../../../src/domain/text/text.js'
import { importContent } from '../../../src/services/content/import-content.js'
import { readContent } from '../../../src/services/content/read-content.js'
import { ROOT, startService } from '../../support/service.js'

const folder = `${ROOT}content`
const { content, faults, warnings } = await readContent(folder)

t.test('the shipped content is free of faults and large enough to learn from', async (t) => {
  t.strictSame(faults, [])
  t.strictSame(warnings, [])
  t.ok(content.decks.length >= 6)
  t.ok(content.sheets.length >= 12)
  for (const { slug, description, cards } of content.decks) {
    t.ok(cards.length >= 25, `${slug}: ${cards.length} cards`)
    t.not(description, '')
  }
})

t.test('quiz options can be told apart', async (t) => {
  const options = content.decks.flatMap(({ cards }) => cards.map((card) => shorten(card.answer, 120)))
  t.equal(new Set(options).size, options.length)
})

t.test('the export holds a line of four columns for every card', async (t) => {
  const service = await startService(t)
  await importContent(service.db, commandLineActor(), folder)
  const member = await service.member()
  const { text } = await member.get('/api/decks/export-anki')
  const lines = text.split('\n')
  t.equal(lines.pop(), '')
  t.equal(
    lines.length,
    content.decks.reduce((sum, { cards }) => sum + cards.length, 0),
  )
  for (const line of lines) {
    const columns = line.split('\t')
    t.equal(columns.length, 4)
    t.match(columns[2], /^svc-training::\S/)
    t.notMatch(columns.slice(0, 2).join(), /[`\r]/)
  }
})
