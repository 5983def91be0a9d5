import { sql, type Transaction } from 'kysely'
import t from 'tap'
import { lockCardWriters } from '../../db/queries/content/editing/cards.js'
import type { Database } from '../../db/types.js'
import { deckFile } from '../support/content.js'
import { startBehindLock, waitUntilBlocked } from '../support/database.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

const service = await startService(t)
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const CARDS = '/api/content/cards'

t.test('of two saves of the same version, one wins', async (t) => {
  const second = await createEditor(service, source)
  const card = await writeCard(editor, await writeDeck(editor, source))
  const save = (caller: typeof editor, question: string) => () =>
    caller.patch(`${CARDS}/${card.id}`, { version: 1, question })
  const saves = await startBehindLock(
    service.database,
    (transaction) => transaction.selectFrom('cards').select('id').where('id', '=', card.id).forUpdate().execute(),
    [save(editor, 'Eins'), save(second, 'Zwei')],
  )
  t.strictSame(saves.map(({ status }) => status).sort(), [200, 409])
  const won = saves.find(({ status }) => status === 200)?.body.card
  t.match((await editor.get(`${CARDS}/${card.id}`)).body.card, { version: 2, question: won.question })
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
    await waitUntilBlocked(service.database)
    await transaction.updateTable('cards').set({ answer: 'Vom Import' }).where('id', '=', first.id).execute()
  })
  t.match(await saved, { status: 409, body: errorBody(409, 'Inzwischen geändert') })
  t.match((await editor.get(`${CARDS}/${first.id}`)).body.card, { version: 2, answer: 'Vom Import' })
})

t.test('a save waits for a script that changes only the question', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const [saved] = await startBehindLock(
    service.database,
    (transaction) => sql`update cards set question = 'Vom Skript' where id = ${card.id}`.execute(transaction),
    [() => editor.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Meine Fassung' })],
  )
  t.match(saved, { status: 409 })
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
    const [uploaded] = await startBehindLock(service.database, save, [
      () => upload(`source=${source.id}`, `Neu für ${kind}`),
    ])
    t.match(uploaded, { status: 200 })
    if (kind === 'sheet') t.match(await sheetOf(), { content_md: 'Meins', version: 2 })
    else t.match(await cardOf(), { answer: 'Meins' })
  }
  t.match((await upload(`source=${source.id}&check=true`, 'Neu')).body.edited, { total: 2 })
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
  const responses = await startBehindLock(
    service.database,
    async (transaction) => {
      await transaction.updateTable('cards').set({ deck_id }).where('id', '=', card.id).execute()
      await transaction.updateTable('imported_cards').set({ deck_id }).where('card_id', '=', card.id).execute()
    },
    [
      () => author.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Zu spät' }),
      () => admin.delete(`/api/content/sources/${former}?purge=true`),
    ],
  )
  t.strictSame(
    responses.map(({ status }) => status),
    [403, 200],
  )
  t.match((await editor.get(`${CARDS}/${card.id}`)).body.card, { version: 1, question: card.question })
})

t.test('an undo waits for a purge of the source before it locks its change', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  await editor.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Anders' })
  const { id } = await db
    .selectFrom('content_changes')
    .select('id')
    .where('source_id', '=', source)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  let undone: Promise<unknown> | undefined
  await db.transaction().execute(async (purge) => {
    await lockCardWriters(purge)
    undone = editor.post(`/api/content/changes/${id}/undo`)
    await waitUntilBlocked(service.database)
    await sql`select from content_changes where id = ${id} for update nowait`.execute(purge)
  })
  t.match(await undone, { status: 200, body: { undone: 1 } })
})
