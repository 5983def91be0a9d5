import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/types.js'
import { deckFile } from '../support/content.js'
import { waitForBlockedQuery } from '../support/database.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

/** Number of saves; set `EDITS=10000` for a longer test */
const EDITS = Number(process.env.EDITS ?? 200)
/** Number of saves of a sheet, each at a different moment of an upload */
const ROUNDS = 8
t.setTimeout(300_000 + 60 * EDITS)

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

t.test('a save during an import waits for its write and then finds the card changed', async (t) => {
  const deck = await writeDeck(editor, source)
  const [first, other] = [await writeCard(editor, deck), await writeCard(editor, deck)]
  let saved: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    // Like an import, the transaction holds the writer lock from its first changed card on.
    await transaction
      .updateTable('cards')
      .set({ answer: unique('neu') })
      .where('id', '=', other.id)
      .execute()
    saved = editor.patch(`${CARDS}/${first.id}`, { version: 1, question: 'Meine Fassung' })
    await sleep(200)
    await transaction.updateTable('cards').set({ answer: 'Vom Import' }).where('id', '=', first.id).execute()
  })
  t.match(await saved, { status: 409, body: errorBody(409, 'Inzwischen geändert') })
  t.match((await editor.get(`${CARDS}/${first.id}`)).body.card, { version: 2, answer: 'Vom Import' })
})

t.test('a save waits for a script that changes only the question', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  let saved: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    await sql`update cards set question = 'Vom Skript' where id = ${card.id}`.execute(transaction)
    saved = editor.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Meine Fassung' })
    await sleep(200)
  })
  t.match(await saved, { status: 409 })
  t.match((await editor.get(`${CARDS}/${card.id}`)).body.card, { version: 2, question: 'Vom Skript' })
})

t.test('an upload waits for saves that are being written, and keeps them', async (t) => {
  const author = await createEditor(service)
  const deck = (answer: string) => deckFile('Zugleich', [{ id: 'eins', answer }])
  const sheet = (text: string) => `---\ntitle: Zugleich\ncategory: Netz\n---\n\n${text}\n`
  const upload = async (parameters: string, text: string) => {
    const file = await zipOf({ 'decks/zugleich.md': deck(text), 'cheatsheets/zugleich.md': sheet(text) })
    const headers = { 'content-type': 'application/octet-stream' }
    return author.post(`/api/content/imports?${parameters}`, file, { headers })
  }
  const { source } = (await upload('name=Zugleich.zip', 'Alt')).body
  const stored = await db
    .selectFrom('cards')
    .innerJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
    .select('cards.id')
    .where('source_id', '=', source.id)
    .executeTakeFirstOrThrow()
  const sheetOf = async () => (await author.get('/api/content/sheets/zugleich')).body.sheet
  const cardOf = async () => (await author.get(`${CARDS}/${stored.id}`)).body.card
  const { id } = await sheetOf()

  const saves = {
    sheet: async (transaction: Transaction<Database>) => {
      await transaction.updateTable('cheatsheets').set({ content_md: 'Meins' }).where('id', '=', id).execute()
      await transaction
        .updateTable('imported_cheatsheets')
        .set({ edited: true })
        .where('cheatsheet_id', '=', id)
        .execute()
    },
    card: async (transaction: Transaction<Database>) => {
      await transaction.updateTable('cards').set({ answer: 'Meins' }).where('id', '=', stored.id).execute()
      await transaction.updateTable('imported_cards').set({ edited: true }).where('card_id', '=', stored.id).execute()
    },
  }
  for (const [kind, save] of Object.entries(saves)) {
    let uploaded: ReturnType<typeof upload> | undefined
    await db.transaction().execute(async (transaction) => {
      await save(transaction)
      uploaded = upload(`source=${source.id}`, `Neu für ${kind}`)
      await waitForBlockedQuery(transaction)
    })
    t.match(await uploaded, { status: 200 })
    if (kind === 'sheet') t.match(await sheetOf(), { content_md: 'Meins', version: 2 })
    else t.match(await cardOf(), { answer: 'Meins' })
  }
  t.match((await upload(`source=${source.id}&check=true`, 'Neu')).body.edited, { total: 2 })
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
    // The delay grows with each round, so that the saves start at different moments of the upload.
    const [saved, uploaded] = await Promise.all([
      sleep((duration * round) / ROUNDS).then(() => author.patch(SHEET, { version, content_md: wrote })),
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

t.test('after a card moves to another source, editors of its former source neither change nor delete it', async (t) => {
  const former = await createSource(db)
  const author = await createEditor(service, former)
  const admin = await service.admin()
  const [card, other] = [
    await writeCard(author, await writeDeck(author, former)),
    await writeCard(editor, await writeDeck(editor, source)),
  ]
  const { deck_id } = await db
    .selectFrom('cards')
    .select('deck_id')
    .where('id', '=', other.id)
    .executeTakeFirstOrThrow()
  const answers: Promise<{ status: number }>[] = []
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('cards').set({ deck_id }).where('id', '=', card.id).execute()
    await transaction.updateTable('imported_cards').set({ deck_id }).where('card_id', '=', card.id).execute()
    answers.push(author.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Zu spät' }))
    answers.push(admin.delete(`/api/content/sources/${former}?purge=true`))
    await sleep(200)
  })
  t.strictSame(
    (await Promise.all(answers)).map(({ status }) => status),
    [403, 200],
  )
  t.match((await editor.get(`${CARDS}/${card.id}`)).body.card, { version: 1, question: card.question })
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
