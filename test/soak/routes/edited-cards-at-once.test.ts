import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { createEditor, createSource, writeCard, writeDeck } from '../../support/editing.js'
import { mulberry32 } from '../../support/random.js'
import { SEED } from '../../support/seed.js'
import { type Caller, startService } from '../../support/service.js'
import { zipOf } from '../../support/upload-packages.js'

const EDITS = 1_000
/** Number of saves of a sheet, each at a different moment of an upload */
const ROUNDS = 40
t.setTimeout(3_600_000)

const random = mulberry32(SEED)
const service = await startService(t)
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const CARDS = '/api/content/cards'

interface Save {
  version: number
  /** Text that the author had read before the save, and the saved text */
  saw: string
  wrote: string
}

t.test('concurrent saves of two clients never overwrite a text that the author has not seen', async (t) => {
  const second = await createEditor(service, source)
  const card = await writeCard(editor, await writeDeck(editor, source), { question: 'Anfang' })
  const saves: Save[] = []
  let refused = 0
  const edit = async (caller: Caller, name: string) => {
    for (let number = 1; saves.length < EDITS; number++) {
      const { question: saw, version } = (await caller.get(`${CARDS}/${card.id}`)).body.card
      const wrote = `${name} ${number}`
      const { status, body } = await caller.patch(`${CARDS}/${card.id}`, { version, question: wrote })
      if (status === 200) saves.push({ version: body.card.version, saw, wrote })
      else if (body.message === 'Inzwischen geändert') refused++
      else t.fail(JSON.stringify(body))
    }
  }
  await Promise.all([edit(editor, 'eins'), edit(second, 'zwei')])
  const chain = saves.sort((a, b) => a.version - b.version)
  t.strictSame(
    chain.map(({ version }) => version),
    chain.map((_, index) => index + 2),
    'each save made its own version',
  )
  const seen = ['Anfang', ...chain.map(({ wrote }) => wrote)]
  t.ok(
    chain.every(({ saw }, index) => saw === seen[index]),
    'each author had seen the previous version',
  )
  t.equal((await editor.get(`${CARDS}/${card.id}`)).body.card.question, seen.at(-1))
  t.comment(`${chain.length} saves, ${refused} refused`)
})

t.test('saves of a sheet during uploads are kept or refused, never overwritten unseen', async (t) => {
  const author = await createEditor(service)
  const fileOf = (text: string) =>
    zipOf({ 'cheatsheets/im-wechsel.md': `---\ntitle: Im Wechsel\ncategory: Netz\n---\n\n${text}\n` })
  const headers = { 'content-type': 'application/octet-stream' }
  const upload = async (parameters: string, text: string) =>
    author.post(`/api/content/imports?${parameters}`, await fileOf(text), { headers })
  const { source } = (await upload('name=Wechsel.zip', 'Alt')).body
  const SHEET = '/api/content/sheets/im-wechsel'
  const started = performance.now()
  await upload(`source=${source.id}&keep=theirs`, 'Zur Probe')
  const duration = performance.now() - started
  const outcomes = { kept: 0, refused: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const { version } = (await author.get(SHEET)).body.sheet
    const wrote = `Meins ${round}`
    const [saved, uploaded] = await Promise.all([
      sleep(duration * random()).then(() => author.patch(SHEET, { version, content_md: wrote })),
      upload(`source=${source.id}`, `Datei ${round}`),
    ])
    t.match(uploaded, { status: 200 })
    const live = (await author.get(SHEET)).body.sheet.content_md
    if (saved.status === 200) {
      t.equal(live, wrote)
      outcomes.kept++
    } else {
      t.strictSame([saved.status, live.trim()], [409, `Datei ${round}`])
      outcomes.refused++
    }
    t.equal((await upload(`source=${source.id}&keep=theirs`, `Stand ${round}`)).status, 200)
  }
  t.comment(outcomes)
})

t.test('concurrent reviews, moves, bulk changes and saves neither fail nor block each other', async (t) => {
  const [deck, target] = [await writeDeck(editor, source), await writeDeck(editor, source)]
  const cards: { id: number }[] = []
  for (let number = 0; number < 12; number++) cards.push(await writeCard(editor, deck))
  const ids = cards.map(({ id }) => id)
  const learners = await Promise.all([1, 2, 3].map(() => service.member()))
  const statuses: number[] = []
  const run = async (work: (id: number, round: number) => Promise<{ status: number }>) => {
    for (let round = 0; round < 20; round++) {
      statuses.push((await work(ids[(round * 7) % ids.length] as number, round)).status)
    }
  }
  await Promise.all([
    ...learners.map((learner) => run((card_id) => learner.post('/api/review', { card_id, rating: 'medium' }))),
    run((id) => editor.post(`${CARDS}/${id}/move`, { before: null })),
    run((id, round) => editor.patch(`${CARDS}/${id}`, { deck: round % 2 === 0 ? target : deck })),
    run((_, round) => editor.post(`${CARDS}/bulk`, { ids, change: { level: `Stufe ${round}` } })),
    run((id) => editor.post(`${CARDS}/${id}/reset-progress`)),
    run((_, round) => editor.patch(`/api/content/decks/${target}`, { archived: round % 2 === 0 })),
  ])
  // A review of a card in the archived deck gets 404.
  t.strictSame([...new Set(statuses)].filter((status) => status !== 404).sort(), [200])
  const { rows } = await sql<{ deck: number; counted: number; live: number }>`
    select decks.id as deck, card_count as counted, count(cards.id) as live
    from decks left join cards on deck_id = decks.id and cards.archived_at is null group by decks.id`.execute(db)
  for (const { counted, live } of rows) t.equal(counted, live)
})
