import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { AUTHORS_ONLY } from '../../src/domain/accounts/refusals.js'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createCard, createDeck, createProgress } from '../support/factories.js'
import { makePackage, type PackageNote } from '../support/make-package.js'
import { download } from '../support/packages.js'
import { gifOf, largePng, targetOf } from '../support/pictures.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const tmpDir = await mkdtemp(path.join(tmpdir(), 'svc-training-imports-'))
t.teardown(() => rm(tmpDir, { recursive: true }))
const folder = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'stash' }]) })
const service = await startService(t, { config: { contentDir: folder, tmpDir } })
const { db, anonymous } = service
const admin = await service.admin()
const member = await service.member()

const OCTETS = { headers: { 'content-type': 'application/octet-stream' } }

async function upload(query: string, notes: Record<string, PackageNote[]> | Buffer, caller: Caller = admin) {
  const file = Buffer.isBuffer(notes) ? notes : await makePackage(notes)
  return caller.post(`/api/content/imports?${query}`, file, OCTETS)
}

const listSources = async () => (await admin.get('/api/content/sources')).body.sources
const cardsOf = (slug: string) =>
  db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select(['cards.id', 'question', 'answer', 'level'])
    .where('slug', '=', slug)
    .where('cards.archived_at', 'is', null)
    .orderBy('cards.sort_order')
    .execute()

async function snapshot() {
  const tables = [
    'decks',
    'cards',
    'cheatsheets',
    'imported_decks',
    'imported_cards',
    'content_sources',
    'card_progress',
  ]
  const all: Record<string, unknown> = {}
  for (const table of tables) {
    const { rows } = await sql<{
      row: string
    }>`select (one.*)::text as row from ${sql.table(table)} as one order by 1`.execute(db)
    all[table] = rows.map(({ row }) => row)
  }
  all.media = await db.selectFrom('media').select(['sha256', 'size_bytes']).orderBy('sha256').execute()
  return all
}

t.test('refuses callers without the right before reading the body', async (t) => {
  const big = Buffer.alloc(5 * 2 ** 20)
  t.strictSame((await upload('name=x.apkg', big, anonymous)).body, errorBody(401, 'Nicht angemeldet'))
  t.strictSame((await upload('name=x.apkg', big, member)).body, errorBody(403, AUTHORS_ONLY.message))
  t.strictSame((await upload('name=x.apkg', big)).body, errorBody(413, 'Datei zu groß: mehr als 4 MB (IMPORT_MAX_MB)'))
  for (const [path, method] of [
    ['/sources', 'GET'],
    ['/sources/1', 'DELETE'],
    ['/sources/1/release', 'POST'],
  ] as const) {
    t.equal((await member.send({ method, url: `/api/content${path}` })).status, 403)
  }
  t.strictSame((await admin.get('/api/content/nix')).body, errorBody(404, 'Unbekannter Inhalts-Endpunkt'))
})

t.test('refuses unsupported files with an explanation', async (t) => {
  const cases: [string, unknown, Record<string, string>, number, string][] = [
    ['name=x.apkg', undefined, OCTETS.headers, 400, 'Die Anfrage enthält keine Datei'],
    [
      'name=x.apkg',
      '{}',
      { 'content-type': 'application/json' },
      415,
      'Die Datei wird als application/octet-stream erwartet',
    ],
    [
      'name=x.apkg',
      'x',
      { ...OCTETS.headers, 'content-encoding': 'gzip' },
      415,
      'Die Datei wird als application/octet-stream erwartet',
    ],
    ['', 'x', OCTETS.headers, 400, 'Der Parameter „name“ fehlt: der Name der Datei oder der Quelle'],
    ['name=.apkg', 'x', OCTETS.headers, 400, 'Der Parameter „name“ fehlt: der Name der Datei oder der Quelle'],
    [`name=${'x'.repeat(201)}`, 'x', OCTETS.headers, 400, 'Der Parameter „name“ darf höchstens 200 Zeichen haben'],
    ['name=a%00b', 'x', OCTETS.headers, 400, 'Der Parameter „name“ enthält unzulässige Zeichen'],
    ['name=x&source=abc', 'x', OCTETS.headers, 400, 'Der Parameter „source“ muss die Nummer einer Quelle sein'],
    ['name=x&source=99999999999', 'x', OCTETS.headers, 404, 'Quelle nicht gefunden'],
    ['name=x&source=1&new=true', 'x', OCTETS.headers, 400, 'Die Parameter „source“ und „new“ schließen sich aus'],
    ['name=x&check=ja', 'x', OCTETS.headers, 400, 'Der Parameter „check“ muss true oder false sein'],
  ]
  for (const [query, payload, headers, status, message] of cases) {
    const response = await admin.post(`/api/content/imports?${query}`, payload, { headers })
    t.match(response, { status, body: { message } }, query)
  }
  t.equal((await upload('name=x.apkg', Buffer.from('PK\x03\x04 kaputt'))).status, 400)
  t.strictSame(await listSources(), [])
})

t.test('a preview shows the changes and writes nothing', async (t) => {
  const notes = {
    'Netz::TCP/IP': [
      { guid: 'a', front: 'Was ist <b>TCP</b>?', tags: 'netz' },
      { guid: 'b', front: 'Was ist IP?' },
    ],
    Ärger: [{ guid: 'c', front: 'Wozu?' }],
  }
  const before = await snapshot()
  const look = await upload('name=Netzwerk.apkg&check=true', notes)
  t.match(look.body, {
    message: 'Geprüft, nichts geändert',
    check: true,
    source: { id: null, kind: 'anki', name: 'Netzwerk' },
    existing: null,
    stats: {
      decks: { created: 2 },
      cards: { created: 3, updated: 0, unchanged: 0, archived: 0 },
      pictures: { created: 0, unchanged: 0 },
      warnings: { length: 0 },
      warnings_total: 0,
    },
  })
  t.strictSame(
    look.body.decks
      .map((deck: { slug: string; name: string; created: number }) => [deck.slug, deck.name, deck.created])
      .sort(),
    [
      ['aerger', 'Ärger', 1],
      ['netz-tcp-ip', 'Netz::TCP/IP', 2],
    ],
  )
  t.match(look.body.examples, [{ kind: 'created', before: null, after: { question: String, level: String } }])
  t.strictSame(await snapshot(), before)

  const done = await upload('name=Netzwerk.apkg', notes)
  t.match(done.body, { message: 'Import abgeschlossen', check: false, source: { id: Number, name: 'Netzwerk' } })
  t.strictSame(done.body.decks, look.body.decks)
  t.match(await cardsOf('netz-tcp-ip'), [
    { question: 'Was ist **TCP**?', level: 'netz' },
    { question: 'Was ist IP?', level: '' },
  ])
  t.match(await listSources(), [
    { kind: 'anki', name: 'Netzwerk', file_name: 'Netzwerk.apkg', decks: 2, cards: 3, archived_at: null },
  ])
  const { entries } = (await admin.get('/api/accounts/audit?limit=1')).body
  t.match(entries, [{ action: 'content.upload', target: 'Netzwerk', details: { cards: { created: 3 } } }])
})

t.test('a repeated upload: unchanged, updated, moved, missing; progress is kept', async (t) => {
  const [source] = await listSources()
  const [tcp, ip] = await cardsOf('netz-tcp-ip')
  await createProgress(db, {
    user_id: member.id,
    card_id: tcp?.id ?? 0,
    last_rating: 'easy',
    next_review: '2027-01-01',
  })

  const before = await snapshot()
  const notes = {
    'Netz::TCP/IP': [
      { guid: 'a', front: 'Was ist <b>TCP</b>?', tags: 'netz' },
      { guid: 'b', front: 'Was ist IP?' },
    ],
    Ärger: [{ guid: 'c', front: 'Wozu?' }],
  }
  const namesake = errorBody(
    409,
    `Eine Quelle „Netzwerk“ gibt es schon: source=${source.id} aktualisiert sie, new=true legt eine zweite an`,
  )
  const refused = await upload('name=Netzwerk.apkg', notes)
  t.strictSame(refused.body, namesake)
  t.strictSame(JSON.parse(String(refused.headers['x-error-details'])), { id: source.id, name: 'Netzwerk' })
  t.match((await upload('name=Netzwerk.apkg&check=true', notes)).body, {
    source: { id: source.id },
    existing: { id: source.id, name: 'Netzwerk' },
    stats: { cards: { unchanged: 3 } },
  })
  t.match((await upload(`source=${source.id}`, notes)).body, {
    existing: null,
    stats: { decks: { unchanged: 2 }, cards: { created: 0, updated: 0, unchanged: 3 } },
  })
  const { content_sources: _, ...rest } = await snapshot()
  t.match(before, rest, 'only the date of the source changes')

  const changed = {
    Neu: [{ guid: 'a', front: 'Was ist <b>TCP</b>?', tags: 'netz' }],
    Ärger: [
      { guid: 'b', front: 'Was ist IPv6?' },
      { guid: 'd', front: 'Neu?' },
    ],
  }
  const look = (await upload(`source=${source.id}&check=true`, changed)).body
  t.match(look, {
    stats: { decks: { created: 1, archived: 1 }, cards: { created: 1, updated: 2, unchanged: 0, archived: 0 } },
  })
  t.match(
    look.examples
      .filter(({ kind }: { kind: string }) => kind === 'updated')
      .map(({ before }: { before: object }) => before),
    [{ question: 'Was ist **TCP**?' }, { question: 'Was ist IP?' }].sort(),
  )
  const { stats: _stats, ...same } = (await upload(`source=${source.id}`, changed)).body
  t.strictSame(same.decks, look.decks)
  t.match(await cardsOf('neu'), [{ id: tcp?.id }])
  const moved = await cardsOf('aerger')
  t.ok(moved.some(({ id, question }) => id === ip?.id && question === 'Was ist IPv6?'))
  t.ok(
    moved.some(({ question }) => question === 'Wozu?'),
    'missing cards stay',
  )
  const progress = await db
    .selectFrom('card_progress')
    .selectAll()
    .where('card_id', '=', tcp?.id ?? 0)
    .execute()
  t.match(progress, [{ last_rating: 'easy', next_review: '2027-01-01', deck_id: Number }], 'it moved with its card')
  t.equal((await member.get('/api/decks/netz-tcp-ip')).status, 404, 'the deck without cards is archived')

  t.match((await upload(`source=${source.id}&mirror=true`, { Ärger: [{ guid: 'd', front: 'Neu?' }] })).body.stats, {
    decks: { archived: 1 },
    cards: { unchanged: 1, archived: 3 },
  })
  t.match(await cardsOf('aerger'), [{ question: 'Neu?' }])
  t.match((await upload(`source=${source.id}`, changed)).body.stats, { cards: { updated: 2, unchanged: 1 } })
  t.match(await cardsOf('neu'), [{ id: tcp?.id }], 'the card returns with its progress')
})

t.test('content of others stays unchanged', async (t) => {
  const [source] = await listSources()
  const script = await createDeck(db, { slug: 'skript', name: 'Skript' })
  await createCard(db, { deck_id: script.id })
  const before = await snapshot()
  const second = await upload('name=Zweite.apkg', {
    Skript: [{ guid: 'e', front: 'Von mir?' }],
    Fremd: [{ guid: 'a', front: 'Was ist anders?' }],
  })
  t.match(second.body.stats, {
    decks: { created: 1 },
    cards: { created: 1 },
    warnings_total: 1,
    warnings: [
      { file: 'Fremd', line: 0, message: 'Die Karte „Was ist anders?“ gehört der Quelle „Netzwerk“ und bleibt dort' },
    ],
  })
  t.match(second.body.decks, [{ slug: 'skript-2', created: 1 }])
  const after = await snapshot()
  t.strictSame(
    (before.cards as string[]).filter((row) => !(after.cards as string[]).includes(row)),
    [],
  )

  await changeFiles(folder, { 'decks/zweimal.md': '---\nname: Mein\nslug: skript-2\n---\n' })
  for (const url of ['/api/admin/import', '/api/content/check']) {
    const message = 'Das Deck „skript-2“ gehört der Quelle „Zweite“; die Datei wird nicht gelesen'
    t.match((await admin.post(url)).body.stats, {
      decks: { updated: 0, archived: 0 },
      warnings: [{ file: 'decks/zweimal.md', line: 3, message }],
    })
  }
  await changeFiles(folder, { 'decks/zweimal.md': null })
  t.match((await admin.post('/api/admin/import?force=true')).body.stats, {
    decks: { archived: 0 },
    cards: { archived: 0 },
  })
  t.equal((await listSources()).length, 2)
  t.match(await admin.delete(`/api/content/sources/${source.id}`), { status: 200, body: { ok: true } })
  t.match(
    (await listSources()).find(({ id }: { id: number }) => id === source.id),
    { decks: 0, cards: 0, archived_at: String },
  )

  const taken = await upload('name=Dritte.apkg', {
    Dritte: [{ guid: 'a', front: 'Was ist <b>TCP</b>?', tags: 'netz' }],
  })
  t.match(taken.body.stats, { cards: { updated: 1 }, warnings_total: 0 }, 'an archived source claims no content')
  const [card] = await cardsOf('dritte')
  t.match(
    await db
      .selectFrom('card_progress')
      .selectAll()
      .where('card_id', '=', card?.id ?? 0)
      .execute(),
    [{ last_rating: 'easy' }],
  )
})

t.test('stores and serves pictures and deletes them with the last card that uses them', async (t) => {
  const [tree, other] = [gifOf('Baum'), gifOf('Rest')]
  const file = await makePackage(
    {
      Bilder: [
        { guid: 'p', front: 'Was ist das? <img src="baum.gif">' },
        { guid: 'q', front: 'Und?', back: '<img src="rest.gif">' },
      ],
    },
    { 'baum.gif': tree, 'rest.gif': other },
  )
  const { body } = await upload('name=Bilder.apkg', file)
  t.match(body.stats, { pictures: { created: 2, unchanged: 0 } })
  const target = targetOf(tree)
  const [card] = await cardsOf('bilder')
  t.match(card?.question, `](${target})`)
  const sha = target.slice(6, 70)
  for (const name of [sha, `${sha}.gif`]) {
    const response = await member.get(`/api/content/media/${name}`)
    t.match(response.headers, {
      'content-type': 'image/gif',
      'content-length': String(tree.length),
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': /default-src 'none'.*sandbox/,
    })
    const raw = await service.app.inject({
      url: `/api/content/media/${name}`,
      headers: { cookie: member.cookie ?? '' },
    })
    t.strictSame(raw.rawPayload, tree)
  }
  t.equal((await anonymous.get(`/api/content/media/${sha}`)).status, 401)
  for (const name of ['0'.repeat(64), 'x', `${sha}.svg`, sha.toUpperCase(), `${sha}.`]) {
    t.strictSame((await member.get(`/api/content/media/${name}`)).body, errorBody(404, 'Bild nicht gefunden'), name)
  }

  t.match((await upload(`source=${body.source.id}`, file)).body.stats, { pictures: { created: 0, unchanged: 2 } })
  await createProgress(db, {
    user_id: member.id,
    card_id: card?.id ?? 0,
    last_rating: 'hard',
    next_review: '2027-01-01',
  })
  await db
    .updateTable('cheatsheets')
    .set({ content_md: `![x](${target})` })
    .execute()
  t.match(await admin.delete(`/api/content/sources/${body.source.id}?purge=true`), { status: 200, body: { ok: true } })
  t.strictSame(await cardsOf('bilder'), [])
  const { rows } = await sql<{ left: number }>`
    select (select count(*) from card_progress where card_id = ${card?.id ?? 0}) + (select count(*) from decks where slug = 'bilder')
      + (select count(*) from media) as left`.execute(db)
  t.strictSame(rows, [{ left: 0 }])
  t.equal((await member.get(`/api/content/media/${sha}`)).status, 404)
  t.strictSame(
    (await admin.delete(`/api/content/sources/${body.source.id}`)).body,
    errorBody(404, 'Quelle nicht gefunden'),
  )
  t.strictSame((await admin.delete('/api/content/sources/x')).body, errorBody(400, 'Ungültige Quellen-ID'))
})

t.test('refuses pictures beyond the limit and writes nothing', async (t) => {
  const small = await startService(t, {
    config: { contentDir: folder, tmpDir, mediaMaxBytes: 2 ** 20, importMaxBytes: 8 * 2 ** 20 },
  })
  const chief = await small.admin()
  const file = await makePackage(
    { Groß: [{ guid: 'g', front: '<img src="a.png">' }] },
    { 'a.png': largePng(2 ** 20 + 1) },
  )
  for (const query of ['check=true&', '']) {
    const response = await chief.post(`/api/content/imports?${query}name=g.apkg`, file, OCTETS)
    t.equal(response.status, 413)
  }
  t.strictSame(await small.db.selectFrom('cards').select('id').execute(), [])
  t.strictSame(await small.db.selectFrom('content_sources').select('id').execute(), [])
})

t.test('released decks stay unchanged until a file describes them, with all progress', async (t) => {
  const { body } = await upload('name=Frei.apkg', {
    'Frei::Wild': [
      { guid: 'w', front: 'Wer?' },
      { guid: 'v', front: 'Was?' },
    ],
  })
  const cards = await cardsOf('frei-wild')
  await createProgress(db, {
    user_id: member.id,
    card_id: cards[0]?.id ?? 0,
    last_rating: 'hard',
    next_review: '2027-01-01',
  })
  t.match(await admin.post(`/api/content/sources/${body.source.id}/release`), { status: 200, body: { ok: true } })
  t.notOk((await listSources()).some(({ name }: { name: string }) => name === 'Frei'))
  t.match((await admin.post('/api/admin/import?force=true')).body.stats, {
    decks: { archived: 0 },
    cards: { archived: 0 },
  })
  t.strictSame(await cardsOf('frei-wild'), cards)

  const again = await upload('name=Frei.apkg', { 'Frei::Wild': [{ guid: 'w', front: 'Anders?' }] })
  t.match(again.body.stats, {
    decks: { created: 0 },
    warnings: [{ message: 'Die Karte „Anders?“ gehört zum Deck „frei-wild“ und bleibt dort' }],
  })
  await admin.delete(`/api/content/sources/${again.body.source.id}?purge=true`)

  const keys = await db
    .selectFrom('imported_cards')
    .select(['card_id', 'key'])
    .where(
      'card_id',
      'in',
      cards.map(({ id }) => id),
    )
    .orderBy('card_id')
    .execute()
  t.match(keys, [{ key: /^anki-[0-9a-f]{24}$/ }, { key: /^anki-[0-9a-f]{24}$/ }])
  await changeFiles(folder, {
    'decks/frei-wild.md': deckFile('Frei', [{ id: keys[0]?.key ?? '', question: 'Wer also?' }]),
  })
  t.match((await admin.post('/api/admin/import')).body.stats, { cards: { created: 0, updated: 1, archived: 1 } })
  t.match(await cardsOf('frei-wild'), [{ id: cards[0]?.id, question: 'Wer also?' }])
  t.match((await admin.post('/api/admin/import')).body.stats, { cards: { updated: 0, archived: 0 } })
})

t.test('cards of another source give one warning, which quotes the first ones', async (t) => {
  const notes = Array.from({ length: 32 }, (_, at) => ({ guid: `viele-${at}`, front: `Was ist <b>Nummer ${at}</b>?` }))
  const first = await upload('name=Eigentümer.apkg', { Viele: notes })
  const second = await upload('name=Nachzügler.apkg&check=true', { Viele: notes })
  t.equal(second.body.stats.warnings_total, 1)
  t.strictSame(second.body.stats.warnings, [
    {
      file: 'Viele',
      line: 0,
      message:
        '32 Karten gehören der Quelle „Eigentümer“ und bleiben dort: ' +
        '„Was ist Nummer 0?“, „Was ist Nummer 1?“, „Was ist Nummer 2?“ und 29 weitere',
    },
  ])
  await admin.delete(`/api/content/sources/${first.body.source.id}?purge=true`)
})

t.test('a re-imported package creates no copies', async (t) => {
  await changeFiles(folder, { 'decks/hin.md': deckFile('Hin', [{ id: 'eins' }, { id: 'zwei' }]) })
  await admin.post('/api/admin/import')
  const script = await createDeck(db, { slug: 'her', name: 'Her' })
  await createCard(db, { deck_id: script.id })
  for (const slug of ['hin', 'her']) {
    const file = await download(t, service, member.cookie, `format=apkg&deck=${slug}`)
    const before = await snapshot()
    const { status, body } = await upload(`name=${slug}.apkg&check=true`, file)
    t.match({ status, stats: body.stats }, { status: 200, stats: { cards: { created: 0 }, warnings_total: 1 } })
    t.match(
      body.stats.warnings[0].message,
      slug === 'hin'
        ? /^2 Karten gehören zum Deck „hin“ des Ordners und bleiben dort: „/
        : /^Die Karte „.+“ gehört zum Deck „her“ und bleibt dort$/,
    )
    t.strictSame(await snapshot(), before)
  }
})

t.test('leaves no temporary file', async (t) => {
  t.strictSame(await readdir(tmpDir), [])
})
