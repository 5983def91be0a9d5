import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { readContent } from '../../src/services/content/folder/read.js'
import { createCard, createCards, createCheatsheet, createDeck, createProgress } from '../support/factories.js'
import { download, query, unzip } from '../support/packages.js'
import { errorBody, startService } from '../support/service.js'
import { until } from '../support/until.js'

const scratch = await mkdtemp(path.join(tmpdir(), 'svc-training-test-'))
t.teardown(() => rm(scratch, { recursive: true }))
// At this time it is 00:30 on 22 November in Berlin, but still 21 November in UTC.
const service = await startService(t, {
  now: () => new Date('2026-11-21T23:30:00Z'),
  config: { tmpDir: scratch },
})
const { app, db } = service
const member = await service.member()

t.afterEach(async () => {
  await db.deleteFrom('decks').execute()
  await db.deleteFrom('cheatsheets').execute()
})

const get = (parameters: string) => member.get(`/api/content/export?${parameters}`)

t.test('refuses invalid parameters and unknown decks', async (t) => {
  await createDeck(db, { slug: 'weg', archived_at: new Date() })
  const formats = 'apkg, csv, markdown'
  for (const [parameters, status, message] of [
    ['', 400, `Der Parameter „format“ fehlt: eines von ${formats}`],
    ['format=', 400, `Der Parameter „format“ fehlt: eines von ${formats}`],
    ['format=pdf', 400, `Der Parameter „format“ muss eines von ${formats} sein`],
    ['format=apkg&progress=ja', 400, 'Der Parameter „progress“ muss true oder false sein'],
    ['format=csv&progress=true', 400, 'Der Parameter „progress“ gilt nur für format=apkg'],
    ['format=apkg&deck=nein', 404, 'Deck nicht gefunden'],
    ['format=markdown&deck=weg', 404, 'Deck nicht gefunden'],
  ] as const) {
    const response = await get(parameters)
    t.strictSame(response.body, errorBody(status, message), parameters)
  }
  const { body } = await service.anonymous.get('/api/content/export?format=pdf')
  t.strictSame(body, errorBody(401, 'Nicht angemeldet'))
})

t.test('sets file name, content type and length', async (t) => {
  const deck = await createDeck(db)
  await createCard(db, { deck_id: deck.id })
  for (const [format, type, name] of [
    ['apkg', 'application/octet-stream', 'svc_training_anki_2026-11-22.apkg'],
    ['csv', 'text/csv; charset=utf-8', 'svc_training_karten_2026-11-22.csv'],
    ['markdown', 'application/zip', 'svc_training_inhalte_2026-11-22.zip'],
  ]) {
    const { headers } = await get(`format=${format}`)
    t.equal(headers['content-type'], type)
    t.equal(headers['content-disposition'], `attachment; filename="${name}"`)
    t.match(headers['content-length'], /^[1-9]\d*$/)
  }
})

t.test('a package without progress', async (t) => {
  const [git, linux] = [
    await createDeck(db, { slug: 'git', name: 'Git', sort_order: 1 }),
    await createDeck(db, { name: 'Linux::Netz', sort_order: 2 }),
  ]
  const updated_at = new Date('2026-11-20T10:00:00Z')
  const second = await createCard(db, { deck_id: git.id, question: 'Zwei', sort_order: 2 })
  const first = await createCard(db, { deck_id: git.id, question: '**Eins** < 2', answer: '- a\n- b', updated_at })
  const third = await createCard(db, { deck_id: linux.id, question: 'Drei', level: 'sehr schwer' })
  await createCard(db, { deck_id: git.id, question: 'Archiviert', archived_at: new Date() })
  await createProgress(db, { user_id: member.id, card_id: first.id, last_rating: 'easy', next_review: '2026-12-01' })

  const files = await unzip(await download(t, service, member.cookie, 'format=apkg'))
  t.strictSame([...files.keys()], ['collection.anki2', 'media'])
  t.equal(files.get('media')?.toString(), '{}')
  const collection = files.get('collection.anki2')
  const notes = query(
    collection,
    'select notes.id, tags, flds, sfld, csum, due, did, notes.mod from notes join cards on nid = notes.id order by due',
  )
  t.match(notes, [
    {
      id: 1_600_000_000_000 + first.id,
      tags: ' grundlagen ',
      flds: '<strong>Eins</strong> &lt; 2\x1f<ul>\n<li>a</li>\n<li>b</li>\n</ul>',
      sfld: 'Eins < 2',
      due: 1,
      mod: updated_at.getTime() / 1000,
    },
    { id: 1_600_000_000_000 + second.id, due: 2 },
    { id: 1_600_000_000_000 + third.id, tags: ' sehr_schwer ', due: 3 },
  ])
  const [col] = query(collection, 'select * from col')
  const decks = Object.fromEntries(
    Object.values<{ id: number; name: string }>(JSON.parse(String(col?.decks))).map(({ id, name }) => [id, name]),
  )
  t.strictSame(
    notes.map(({ did }) => decks[Number(did)]),
    ['svc-training::Git', 'svc-training::Git', 'svc-training::Linux::Netz'],
  )
  t.ok(Object.values(decks).includes('svc-training::Linux'), 'parent decks are included')
  t.strictSame(query(collection, 'select distinct type, queue, ivl, reps, ord from cards'), [
    { type: 0, queue: 0, ivl: 0, reps: 0, ord: 0 },
  ])

  const one = await unzip(await download(t, service, member.cookie, 'format=apkg&deck=git'))
  const guids = 'select guid from notes order by id'
  t.strictSame(query(one.get('collection.anki2'), 'select sfld from notes order by id').length, 2)
  await db.updateTable('decks').set({ name: 'Neuer Name', slug: 'neu' }).where('id', '=', git.id).execute()
  const renamed = await unzip(await download(t, service, member.cookie, 'format=apkg'))
  t.strictSame(query(renamed.get('collection.anki2'), guids), query(collection, guids), 'guids stay')
})

t.test("a package with the caller's progress", async (t) => {
  const deck = await createDeck(db, { slug: 'git' })
  const [known, undone, suspended] = (await createCards(db, deck.id, 4)).map(({ id }) => id)
  const rate = async (card_id: number | undefined, rating: string) =>
    (await member.post('/api/review', { card_id, rating, duration_ms: 1234 })).body
  await rate(known, 'medium')
  await rate(known, 'easy')
  const { review_id } = await rate(undone, 'again')
  await member.delete(`/api/review/${review_id}`)
  await member.post(`/api/review/cards/${suspended}/suspend`)
  const other = await service.member()
  await other.post('/api/review', { card_id: suspended, rating: 'easy' })

  const files = await unzip(await download(t, service, member.cookie, 'format=apkg&progress=true'))
  t.strictSame([...files.keys()], ['collection.anki2', 'collection.anki21', 'media'])
  t.strictSame(query(files.get('collection.anki2'), 'select distinct type, queue from cards'), [{ type: 0, queue: 0 }])
  const learned = files.get('collection.anki21')
  t.match(JSON.parse(String(query(learned, 'select conf from col')[0]?.conf)), { schedVer: 2, creationOffset: -60 })
  const [created] = query(learned, 'select crt from col')
  t.equal(Number(created?.crt), Date.parse('2020-01-01T03:00:00Z') / 1000)
  const progress = await db
    .selectFrom('card_progress')
    .selectAll()
    .where('user_id', '=', member.id)
    .executeTakeFirstOrThrow()
  const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000
  const rows = query(learned, 'select type, queue, due, ivl, reps, factor, data from cards order by id')
  t.match(rows, [
    {
      type: 2,
      queue: 2,
      due: days('2020-01-01', progress.next_review ?? ''),
      ivl: days('2026-11-22', progress.next_review ?? ''),
      reps: 2,
      factor: 2500,
    },
    { type: 0, queue: 0 },
    { type: 0, queue: -1, data: '' },
    { type: 0, queue: 0 },
  ])
  const memory = JSON.parse(String(rows[0]?.data))
  t.equal(memory.s, Number(progress.stability?.toFixed(4)))
  t.match(memory, {
    d: Number(progress.difficulty?.toFixed(4)),
    dr: 0.9,
    decay: 0.154,
    lrt: Date.parse('2026-11-21T23:30:00Z') / 1000,
  })
  const at = Date.parse('2026-11-21T23:30:00Z')
  t.match(query(learned, 'select id, cid, ease, time, type from revlog order by id'), [
    { id: at, cid: 1_600_000_000_000 + (known ?? 0), ease: 3, time: 1234, type: 0 },
    { id: at + 1, ease: 4, type: 2 },
  ])
})

t.test('exports a table with guarded cells', async (t) => {
  const deck = await createDeck(db, { name: 'Git' })
  const card = await createCard(db, { deck_id: deck.id, question: '=1+1', answer: 'a;"b"\n- c', level: '-x' })
  const text = (await download(t, service, member.cookie, 'format=csv')).toString()
  t.equal(text, `\ufeffFrage;Antwort;Level;Deck;Id\r\n'=1+1;"a;""b""\n- c";'-x;Git;karte-${card.id}\r\n`)
})

t.test('a Markdown folder that can be read back', async (t) => {
  const deck = await createDeck(db, { slug: 'a/b', name: 'Ein: Deck', description: 'Mit\nZeilen', sort_order: 7 })
  const card = await createCard(db, { deck_id: deck.id, question: 'Zwei\nZeilen', answer: '## Überschrift' })
  await createCheatsheet(db, { slug: 'zettel', title: 'Zettel', category: 'Git/Mehr', content_md: '# Zettel\n' })
  const bytes = Buffer.from('\x89PNG\r\n\x1a\nfalsch', 'latin1')
  const sha = (
    await sql<{ sha: string }>`
    insert into media (sha256, extension, size_bytes, bytes) values (sha256(${bytes}::bytea), 'png', ${bytes.length}::integer, ${bytes})
    returning encode(sha256, 'hex') as sha`.execute(db)
  ).rows[0]?.sha
  const pictured = await createCard(db, {
    deck_id: deck.id,
    question: `Was? ![Bild](media/${sha}.png)`,
    answer: 'Das.',
  })

  const files = await unzip(await download(t, service, member.cookie, 'format=markdown'))
  t.strictSame([...files.keys()].sort(), [`bilder/${sha}.png`, 'cheatsheets/zettel.md', 'decks/a-b.md'])
  const folder = await mkdtemp(path.join(scratch, 'content-'))
  for (const [name, content] of files) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), content)
  }
  const { content, faults } = await readContent(folder)
  t.strictSame(faults, [])
  t.match(content.decks, [{ slug: 'a/b', name: 'Ein: Deck', description: 'Mit\nZeilen', sort_order: 7 }])
  t.match(content.decks[0]?.cards, [
    { key: `karte-${card.id}`, question: 'Zwei\nZeilen', answer: '## Überschrift', level: 'grundlagen' },
    { key: `karte-${pictured.id}`, answer: 'Das.' },
  ])
  t.match(content.sheets, [{ slug: 'zettel', title: 'Zettel', category: 'Git/Mehr', content_md: '# Zettel\n' }])
  await rm(folder, { recursive: true })
  const packed = await unzip(await download(t, service, member.cookie, 'format=apkg'))
  t.strictSame(JSON.parse(String(packed.get('media'))), { 0: `${sha}.png` })
  t.strictSame(packed.get('0'), bytes)
  t.match(query(packed.get('collection.anki2'), `select flds from notes where id = 1600000000000 + ${pictured.id}`), [
    { flds: `Was? <img src="${sha}.png" alt="Bild">\x1fDas.` },
  ])
  await db.deleteFrom('media').execute()
})

t.test('a closed connection leaves no file; one export per user at a time', async (t) => {
  t.strictSame(await readdir(scratch), [], 'no files of the other exports are left')
  const deck = await createDeck(db)
  await sql`
    insert into cards (deck_id, question, answer)
    select ${deck.id}, 'Frage ' || number, repeat('0123456789 ', 300) from generate_series(1, 2000) as number`.execute(
    db,
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const ask = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET /api/content/export?format=apkg HTTP/1.1\r\nHost: localhost\r\nCookie: ${member.cookie}\r\n\r\n`)
    return socket
  }
  const isEmpty = async () => (await readdir(scratch)).length === 0

  const writing = await ask()
  await until(async () => !(await isEmpty()))
  const second = await get('format=csv')
  t.equal(second.status, 429)
  writing.destroy()
  await until(isEmpty)
  t.pass('no file is left by an export that was being written')

  const stalled = await ask()
  stalled.pause()
  await until(async () => !(await isEmpty()))
  await until(isEmpty)
  t.pass('no file is left while an export is sent')
  stalled.destroy()
  await until(async () => (await get('format=csv')).status === 200)
})
