import { hash } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { readPicture } from '../../db/queries/content/media.js'
import { purgePictures } from '../../db/queries/housekeeping.js'
import { uploadPicture } from '../../src/services/content/editing/pictures.js'
import { createEditor, createSource } from '../support/editing.js'
import { createCard, createCheatsheet, createDeck, unique } from '../support/factories.js'
import { headOf } from '../support/picture-heads.js'
import { gifOf, targetOf } from '../support/pictures.js'
import { type Caller, callerOf, errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const [learner, admin] = [await service.member(), await service.admin()]
const source = await createSource(db)
const editor = await createEditor(service, source)
const stranger = await createEditor(service)

const send = (bytes: Buffer | undefined, type = 'image/gif', caller: Caller = editor) =>
  caller.send({
    method: 'POST',
    url: '/api/content/media',
    ...(bytes !== undefined && { payload: bytes }),
    headers: { 'content-type': type },
  })
const shaOf = (bytes: Buffer) => hash('sha256', bytes, 'hex')
async function seenBy(bytes: Buffer): Promise<string[]> {
  const seen: string[] = []
  for (const [name, caller] of Object.entries({ learner, stranger, editor, admin })) {
    const { status } = await caller.get(`/api/content/media/${shaOf(bytes)}`)
    if (status === 200) seen.push(name)
    else t.equal(status, 404)
  }
  return seen
}
async function showOnCard(bytes: Buffer) {
  const deck = await createDeck(db)
  await db
    .insertInto('imported_decks')
    .values({ deck_id: deck.id, file: null, source_id: source, source_key: deck.slug })
    .execute()
  const card = await createCard(db, { deck_id: deck.id, answer: `![x](${targetOf(bytes)})` })
  await db
    .insertInto('imported_cards')
    .values({ card_id: card.id, deck_id: deck.id, key: unique('k') })
    .execute()
  return { deck, card }
}

t.test('only its author sees an uploaded picture until a text shows it', async (t) => {
  const bytes = gifOf('erst')
  const response = await send(bytes)
  t.strictSame(response.body, { sha: shaOf(bytes), address: targetOf(bytes), width: 1, height: 1 })
  t.strictSame(await seenBy(bytes), ['editor', 'admin'])
  const { card } = await showOnCard(bytes)
  t.strictSame(await seenBy(bytes), ['learner', 'stranger', 'editor', 'admin'])
  await db.updateTable('cards').set({ answer: 'ohne' }).where('id', '=', card.id).execute()
  t.strictSame(await seenBy(bytes), ['editor', 'admin'], 'a picture in an earlier version is visible only to editors')
  t.strictSame(
    await db
      .selectFrom('media')
      .select('created_by')
      .where('sha256', '=', Buffer.from(shaOf(bytes), 'hex'))
      .execute(),
    [{ created_by: editor.id }],
  )
})

t.test('learners do not see pictures of archived cards, decks and sheets; editors do', async (t) => {
  const bytes = gifOf('verborgen')
  await send(bytes, 'image/gif', admin)
  const { card, deck } = await showOnCard(bytes)
  const all = ['learner', 'stranger', 'editor', 'admin']
  t.strictSame(await seenBy(bytes), all)
  const archive = (table: 'cards' | 'decks', id: number, archived_at: Date | null) =>
    db.updateTable(table).set({ archived_at }).where('id', '=', id).execute()
  await archive('cards', card.id, new Date())
  t.strictSame(await seenBy(bytes), ['editor', 'admin'])
  await archive('cards', card.id, null)
  t.strictSame(await seenBy(bytes), all)
  await archive('decks', deck.id, new Date())
  t.strictSame(await seenBy(bytes), ['editor', 'admin'])
  const sheet = await createCheatsheet(db, { content_md: `![x](${targetOf(bytes)})` })
  t.strictSame(await seenBy(bytes), all)
  await db.updateTable('cheatsheets').set({ archived_at: new Date() }).where('id', '=', sheet.id).execute()
  t.strictSame(await seenBy(bytes), ['editor', 'admin'])

  await db.updateTable('users').set({ is_author: false }).where('id', '=', editor.id).execute()
  t.strictSame(await seenBy(bytes), ['admin'], 'without the flag an editor is a learner')
  await db.updateTable('users').set({ is_author: true }).where('id', '=', editor.id).execute()
  const other = await createCheatsheet(db, { content_md: `![x](${targetOf(bytes)})`, archived_at: new Date() })
  await db
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: other.id, source_id: source, source_key: other.slug })
    .execute()
  await db.deleteFrom('cards').where('id', '=', card.id).execute()
  t.strictSame(await seenBy(bytes), ['editor', 'admin'], 'a sheet of the source')
})

t.test('two authors upload the same picture', async (t) => {
  const bytes = gifOf('doppelt')
  t.strictSame((await send(bytes)).body, (await send(bytes, 'image/gif', stranger)).body)
  t.ok((await seenBy(bytes)).includes('stranger'))
})

t.test('every type is recognised by its contents', async (t) => {
  for (const type of ['png', 'gif', 'jpg', 'webp', 'avif'] as const) {
    const bytes = headOf(type, 300, 200)
    const { body } = await send(bytes, 'application/octet-stream')
    t.strictSame(body, { sha: shaOf(bytes), address: targetOf(bytes, type), width: 300, height: 200 })
  }
})

t.test('refuses files that are not a picture, too large or of another type', async (t) => {
  t.strictSame(
    (await send(Buffer.from('<svg/>'), 'image/svg+xml')).body,
    errorBody(400, 'Das Bild ist weder PNG noch JPEG, GIF, WebP oder AVIF'),
  )
  t.strictSame((await send(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))).body, errorBody(400, 'Das Bild ist beschädigt'))
  t.match((await send(headOf('png', 20_000, 10))).body, {
    statusCode: 400,
    message: /^Das Bild hat 20\.000 × 10 Pixel/,
  })
  t.strictSame((await send(Buffer.alloc(0))).body, errorBody(400, 'Die Anfrage enthält keine Datei'))
  t.strictSame((await send(undefined)).body, errorBody(400, 'Die Anfrage enthält keine Datei'))
  t.strictSame((await send(Buffer.alloc(2 ** 21 + 1))).body, errorBody(413, 'Das Bild ist größer als 2 MB'))
  t.equal((await send(Buffer.concat([gifOf('groß'), Buffer.alloc(2 ** 21 - 100)]))).status, 200)
  t.strictSame(
    (await send(gifOf('x'), 'application/json')).body,
    errorBody(415, 'Die Datei wird als application/octet-stream erwartet'),
  )
  const { token } = (await editor.post('/api/auth/tokens', { name: 'x', scopes: ['read'] })).body
  const reader = callerOf(service.app, undefined, token)
  t.equal((await reader.get(`/api/content/media/${shaOf(headOf('png', 300, 200))}`)).status, 200)
})

t.test('limits the pictures of an author and of all authors', async (t) => {
  const author = await createEditor(service)
  const bytes = gifOf('Grenze')
  const upload = (picture: Buffer, mediaMaxBytes: number, ownMaxBytes: number) =>
    uploadPicture(db, author.id, picture, { mediaMaxBytes, ownMaxBytes })
  await t.rejects(upload(bytes, 2 ** 30, bytes.length - 1), { code: 'own_media_full', kind: 'too_large' })
  await t.rejects(upload(bytes, bytes.length, 2 ** 30), { code: 'media_full', kind: 'too_large' })
  await upload(bytes, 2 ** 30, bytes.length)
  await upload(bytes, 0, bytes.length)
  await t.rejects(upload(gifOf('Grenze2'), 2 ** 30, bytes.length + 10), { code: 'own_media_full' })
  const two = [gifOf('a'), gifOf('b')]
  const results = await Promise.allSettled(two.map((one) => upload(one, 2 ** 30, bytes.length * 2)))
  t.strictSame(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'at the same moment')
})

t.test('a picture that no text shows is deleted after seven days', async (t) => {
  await db.deleteFrom('media').execute()
  const [unused, used, superseded] = [gifOf('unbenutzt'), gifOf('benutzt'), gifOf('abgelöst')]
  for (const bytes of [unused, used, superseded]) await send(bytes)
  await showOnCard(used)
  const { card } = await showOnCard(superseded)
  await db.updateTable('cards').set({ answer: 'ohne' }).where('id', '=', card.id).execute()
  t.equal(await purgePictures(db), 0)
  await db.updateTable('media').set({ created_at: sql`now() - interval '8 days'` }).execute()
  await send(unused)
  t.equal(await purgePictures(db), 0, 'another upload of it prevents the deletion')
  await db.updateTable('media').set({ created_at: sql`now() - interval '8 days'` }).execute()
  t.equal(await purgePictures(db), 1)
  t.strictSame(await seenBy(unused), [])
  t.ok((await seenBy(superseded)).includes('editor'))
})

t.test('the pictures of a deleted version are deleted', async (t) => {
  await db.deleteFrom('media').execute()
  const [first, pruned, latest] = [gifOf('Bild 1'), gifOf('Bild 2'), gifOf('Bild 3')]
  for (const bytes of [first, pruned, latest]) await send(bytes)
  const { card } = await showOnCard(first)
  await createCheatsheet(db, { content_md: `![x](${targetOf(latest)})` })
  const write = (answer: string) => db.updateTable('cards').set({ answer }).where('id', '=', card.id).execute()
  await write(`![x](${targetOf(pruned)})`)
  for (let version = 3; version < 53; version++) await write(`Fassung ${version}`)
  await db.updateTable('media').set({ created_at: sql`now() - interval '8 days'` }).execute()
  t.equal(await purgePictures(db), 0, 'version 2 is among the latest 51')
  await write(`Fassung 53, ![x](${targetOf(latest)})`)
  await write('Fassung 54')
  t.equal(await purgePictures(db), 1)
  t.strictSame(await seenBy(pruned), [])
  t.ok((await seenBy(first)).includes('editor'), 'the first version is kept')
  for (let version = 55; version < 106; version++) await write(`Fassung ${version}`)
  t.ok((await seenBy(latest)).includes('learner'), 'a picture that another text shows stays')
  const uses = await db.selectFrom('picture_uses').select('sha256').where('card_id', '=', card.id).execute()
  t.equal(uses.length, 1)
})

t.test('the pictures of a deleted version of a sheet are deleted', async (t) => {
  const { id } = await createCheatsheet(db, { content_md: '# Blatt' })
  const write = (content_md: string) => db.updateTable('cheatsheets').set({ content_md }).where('id', '=', id).execute()
  await write(`![x](${targetOf(gifOf('Blatt 2'))})`)
  const uses = () => db.selectFrom('picture_uses').select('id').where('cheatsheet_id', '=', id).execute()
  for (let version = 3; version < 54; version++) await write(`Fassung ${version}`)
  t.equal((await uses()).length, 1)
  await write('Fassung 54')
  t.strictSame(await uses(), [])
})

t.test('sends the bytes of a large picture in pieces', async (t) => {
  const all: unknown[] = []
  for (const size of [1, 32_768, 32_769, 100_000]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => 97 + (index % 23)))
    const sha256 = hash('sha256', bytes, 'buffer')
    await db.insertInto('media').values({ sha256, extension: 'png', size_bytes: size, bytes }).execute()
    const response = await admin.get(`/api/content/media/${sha256.toString('hex')}`)
    t.equal(response.headers['content-length'], `${size}`)
    t.ok(response.text === bytes.toString(), 'the bytes are complete and in order')
    const pieces: number[] = []
    for await (const piece of readPicture(db, sha256.toString('hex'), size)) pieces.push(piece.length)
    all.push(pieces)
  }
  t.strictSame(all, [[1], [32_768], [32_768, 1], [32_768, 32_768, 32_768, 1_696]])
})
