import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { deckFile } from '../support/content.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { makePackage } from '../support/make-package.js'
import { download, query, unzip } from '../support/packages.js'
import { type Caller, errorBody, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

const tmpDir = await mkdtemp(path.join(tmpdir(), 'svc-training-imports-'))
t.teardown(() => rm(tmpDir, { recursive: true }))
const service = await startService(t, { config: { tmpDir } })
const { db } = service
const author = await createEditor(service)
const admin = await service.admin()
const member = await service.member()

const OCTETS = { headers: { 'content-type': 'application/octet-stream' } }

async function upload(caller: Caller, parameters: string, file: string | Buffer) {
  return caller.post(`/api/content/imports?${parameters}`, Buffer.from(file), OCTETS)
}

const tableOf = (answers: Record<string, string>) =>
  `Id;Frage;Antwort\n${Object.entries(answers)
    .map(([id, answer]) => `${id};Was ist ${id}?;${answer}\n`)
    .join('')}`

const cardOf = (question: string) =>
  db
    .selectFrom('cards')
    .innerJoin('imported_cards', 'card_id', 'cards.id')
    .select(['cards.id', 'answer', 'cards.archived_at', 'edited', 'draft', 'exercise'])
    .where('question', '=', question)
    .executeTakeFirstOrThrow()

const versionsOf = (id: number) =>
  db
    .selectFrom('card_versions')
    .leftJoin('content_changes', 'content_changes.id', 'change_id')
    .select(['version', 'answer', 'how', 'user_id', 'source_id'])
    .where('card_id', '=', id)
    .orderBy('version')
    .execute()

t.test('an upload keeps edited cards unless their replacement is requested', async (t) => {
  const first = await upload(author, 'name=Netz.csv', tableOf({ dns: 'Namen', arp: 'Adressen', tcp: 'Ströme' }))
  t.match(first, { status: 200, body: { edited: { total: 0, cards: { length: 0 }, cheatsheets: { length: 0 } } } })
  const { id } = first.body.source
  for (const name of ['dns', 'arp']) {
    const card = await cardOf(`Was ist ${name}?`)
    t.match(await author.patch(`/api/content/cards/${card.id}`, { version: 1, answer: `Mein ${name}` }), {
      status: 200,
    })
  }
  const next = tableOf({ dns: 'Neue Namen', arp: 'Neue Adressen', tcp: 'Neue Ströme' })
  const look = await upload(author, `source=${id}&check=true`, next)
  const dns = await cardOf('Was ist dns?')
  const arp = await cardOf('Was ist arp?')
  t.match(look.body, {
    stats: { cards: { updated: 1, unchanged: 2 } },
    edited: {
      total: 2,
      cards: [
        { id: dns.id, deck: 'netz', keep: 'ours', ours: { answer: 'Mein dns' }, theirs: { answer: 'Neue Namen' } },
        { id: arp.id, keep: 'ours' },
      ],
    },
  })
  t.match((await upload(author, `source=${id}&check=true&keep=theirs`, next)).body, {
    stats: { cards: { updated: 3 } },
    edited: { total: 2, cards: [{ keep: 'theirs' }, { keep: 'theirs' }] },
  })
  t.match(await upload(author, `source=${id}&theirs=${arp.id}`, next), { status: 200, body: { edited: { total: 2 } } })
  t.match(await cardOf('Was ist dns?'), { answer: 'Mein dns', edited: true })
  t.match(await cardOf('Was ist arp?'), { answer: 'Neue Adressen', edited: false })
  t.match(await versionsOf(arp.id), [
    { version: 1, answer: 'Adressen', how: 'edit' },
    { version: 2, answer: 'Mein arp', how: 'upload', user_id: author.id, source_id: id },
  ])
  t.match(await upload(author, `source=${id}&keep=theirs`, next), { status: 200 })
  t.match(await cardOf('Was ist dns?'), { answer: 'Neue Namen', edited: false })
  t.match((await upload(author, `source=${id}&check=true`, next)).body, {
    stats: { cards: { updated: 0, unchanged: 3 } },
    edited: { total: 0 },
  })
  t.match(await upload(author, `source=${id}&keep=beide`, next), { status: 400 })
  t.match(await upload(author, `source=${id}&theirs=a`, next), { status: 400 })
})

t.test('a card that was moved within its source stays there unless its replacement is requested', async (t) => {
  const file = await makePackage({
    Herkunft: [
      { guid: 'geht', front: 'Wer geht?' },
      { guid: 'bleibt', front: 'Wer bleibt?' },
      { guid: 'geht mit', front: 'Wer geht mit?' },
    ],
    Ankunft: [{ guid: 'da', front: 'Wer ist da?' }],
  })
  const { id } = (await upload(author, 'name=Umzug.apkg', file)).body.source
  const decks = await db
    .selectFrom('decks')
    .select(['name', 'slug'])
    .where('name', 'in', ['Herkunft', 'Ankunft'])
    .execute()
  const slugOf = (name: string) => decks.find((deck) => deck.name === name)?.slug
  const [one, other] = [await cardOf('Wer geht?'), await cardOf('Wer geht mit?')]
  t.match(await author.patch(`/api/content/cards/${one.id}`, { deck: slugOf('Ankunft') }), {
    body: { card: { changed_here: true } },
  })
  const bulk = { ids: [other.id], change: { deck: slugOf('Ankunft') } }
  const moved = await author.post('/api/content/cards/bulk', bulk)
  t.match(moved.body, { changed: 1 })
  const countOf = async (name: string) => {
    const { body } = await author.get(`/api/content/cards?deck=${slugOf(name)}`)
    return body.cards.length
  }
  for (const mirror of ['', '&mirror=true']) {
    t.match((await upload(author, `source=${id}${mirror}`, file)).body, {
      stats: { cards: { created: 0, updated: 0, archived: 0 } },
      decks: [
        { name: 'Ankunft', unchanged: 1 },
        { name: 'Herkunft', unchanged: 1 },
      ],
      edited: {
        total: 2,
        cards: [
          { id: one.id, keep: 'ours' },
          { id: other.id, keep: 'ours' },
        ],
      },
    })
    t.same([await countOf('Herkunft'), await countOf('Ankunft')], [1, 3])
  }
  t.match(await author.post(`/api/content/changes/${moved.body.change_id}/undo`), { body: { undone: 1 } })
  t.match(
    (await upload(author, `source=${id}`, file)).body.edited,
    { total: 1 },
    'a card that was moved back does not differ',
  )
  t.match(await upload(author, `source=${id}&theirs=${one.id}`, file), { status: 200 })
  t.same([await countOf('Herkunft'), await countOf('Ankunft')], [3, 1])
  t.match(await cardOf('Wer geht?'), { edited: false })
})

t.test('an upload that changes nothing records no change', async (t) => {
  const count = async () => (await db.selectFrom('content_changes').select('id').execute()).length
  const table = tableOf({ http: 'Seiten' })
  const { id } = (await upload(author, 'name=Web.csv', table)).body.source
  const before = await count()
  t.match((await upload(author, `source=${id}`, table)).body.stats, { cards: { unchanged: 1 } })
  t.equal(await count(), before)
})

t.test('sources of others are neither updated, matched nor named', async (t) => {
  const other = await createEditor(service)
  const first = await upload(author, 'name=Geteilt.csv', tableOf({ icmp: 'Fehler' }))
  const { id } = first.body.source
  t.strictSame(
    (await upload(other, `source=${id}`, tableOf({ icmp: 'x' }))).body,
    errorBody(403, NOT_AN_EDITOR.message),
  )
  t.equal((await upload(other, `source=${id}&new=false`, tableOf({ icmp: 'x' }))).status, 403)
  t.match(await upload(other, 'source=999999', tableOf({ icmp: 'x' })), { status: 404 })
  const own = await upload(other, 'name=Geteilt.csv', tableOf({ icmp: 'Anders' }))
  t.match(own, { status: 200, body: { existing: null, stats: { cards: { created: 1 } } } })
  t.not(own.body.source.id, id)
  t.match((await upload(other, 'name=Geteilt.csv&check=true', tableOf({ icmp: 'Anders' }))).body.existing, {
    id: own.body.source.id,
  })

  const notes = await makePackage({ Anki: [{ guid: 'gleich', front: 'Was ist NTP?' }] })
  t.match((await upload(author, 'name=Eins.apkg', notes)).body.stats, { cards: { created: 1 } })
  const copy = await upload(other, 'name=Zwei.apkg', notes)
  t.match(copy.body.stats, { cards: { created: 1 }, warnings_total: 0 })
  t.match((await upload(admin, 'name=Drei.apkg&check=true', notes)).body.stats, {
    cards: { created: 0 },
    warnings: [{ message: /gehört der Quelle/ }],
  })
})

t.test('a package contains each note once, and its re-import creates no copies', async (t) => {
  const file = await download(t, service, member.cookie, 'format=apkg')
  const collection = (await unzip(file)).get('collection.anki2')
  const guids = query(collection, 'select guid from notes').map(({ guid }) => guid)
  t.equal(new Set(guids).size, guids.length)
  t.equal(guids.filter((guid) => guid === 'gleich').length, 1)
  t.equal(query(collection, "select id from notes where flds like '%NTP%'").length, 2)
  t.match((await upload(admin, 'name=Alles.apkg&check=true', file)).body.stats, { cards: { created: 0 } })
})

t.test('an archive updates a written source, with drafts, options and pools', async (t) => {
  const source = await createSource(db)
  const editor = await createEditor(service, source)
  const deck = await writeDeck(editor, source)
  await writeCard(editor, deck, { question: 'Wann?', answer: 'Sofort', options: [{ text: 'Nie', correct: false }] })
  const exported = await download(t, service, editor.cookie, `source=${source}`)
  t.match((await upload(editor, `source=${source}&check=true&mirror=true`, exported)).body.stats, {
    decks: { created: 0, updated: 0, archived: 0 },
    cards: { created: 0, updated: 0, archived: 0 },
  })

  const pool = deckFile('Prüfung', [{ id: 'geheim', answer: 'Ja\n\n- [ ] Nein' }], { tests_only: true })
  const draft = '---\nname: Entwurf\n---\n## Was fehlt?\n<!-- id: a; level: b; draft: true -->\n\n### Antwort\nViel\n'
  const sheet = '---\ndraft: true\n---\n# Später\n'
  const zip = await zipOf({ 'decks/pruefung.md': pool, 'decks/entwurf.md': draft, 'cheatsheets/spaeter.md': sheet })
  const done = await upload(editor, `source=${source}&active=true`, zip)
  t.match(done.body.stats, {
    decks: { created: 2 },
    cards: { created: 2 },
    cheatsheets: { created: 1 },
    warnings: [{ file: 'decks/pruefung.md', line: 5, message: /Nur 2 Antworten zur Auswahl/ }],
  })
  t.match(await cardOf('Frage geheim?'), {
    archived_at: null,
    exercise: { form: 'choice', options: [{ text: 'Nein' }] },
  })
  t.match(await cardOf('Was fehlt?'), { archived_at: Date, draft: true, exercise: null })
  const { body } = await member.get('/api/decks')
  t.strictSame(
    body.decks.filter(({ slug }: { slug: string }) => slug === 'pruefung'),
    [],
  )
  t.match(await member.get('/api/cheatsheets/spaeter'), { status: 404 })
  t.match((await upload(editor, `source=${source}&check=true`, zip)).body.stats, {
    cards: { updated: 0, unchanged: 2 },
  })

  const open = await zipOf({ 'decks/pruefung.md': deckFile('Prüfung', [{ id: 'geheim' }]) })
  t.match(await upload(editor, `source=${source}&check=true`, open), {
    status: 400,
    body: { errors: [{ file: 'decks/pruefung.md', line: 1, message: /ist ein Fragenpool und bleibt es/ }] },
  })
  const closed = await zipOf({ 'decks/entwurf.md': draft.replace('---\n##', 'tests_only: true\n---\n##') })
  t.match(await upload(editor, `source=${source}`, closed), {
    status: 400,
    body: { errors: [{ message: /gibt es schon für alle Lernenden/ }] },
  })
  t.match(await upload(editor, `source=${source}`, tableOf({ a: 'b' })), {
    status: 400,
    body: { message: /ist eine Tabelle oder Fragendatei/ },
  })
})

t.test('written, moved and renamed content is re-imported unchanged', async (t) => {
  const source = await createSource(db)
  const editor = await createEditor(service, source)
  const [from, to] = [await writeDeck(editor, source), await writeDeck(editor, source, { name: 'Ziel' })]
  const cards: { id: number }[] = []
  for (const deck of [from, from, from, to]) cards.push(await writeCard(editor, deck, { question: 'Gleiche Frage?' }))
  const [first, second, third] = cards.map(({ id }) => `/api/content/cards/${id}`) as [string, string, string]
  t.match(await editor.patch(first, { deck: to }), { status: 200 })
  t.match(await editor.post(`${second}/move`, { before: null }), { status: 200 })
  t.match(await editor.patch(third, { archived: true }), { status: 200 })
  t.match(await editor.patch(`/api/content/decks/${to}`, { name: 'Anders', description: 'Neu' }), { status: 200 })
  const sheet = { source_id: source, title: 'Blatt', category: 'Netz', content_md: '# Blatt\n', client_id: 'blatt-1' }
  t.match(await editor.post('/api/content/sheets', sheet), { status: 200 })
  const exported = await download(t, service, editor.cookie, `source=${source}`)
  for (const mirror of ['', '&mirror=true']) {
    const { stats } = (await upload(editor, `source=${source}&check=true${mirror}`, exported)).body
    for (const kind of ['decks', 'cards', 'cheatsheets']) {
      t.match(stats[kind], { created: 0, updated: 0, archived: 0 }, `${kind}${mirror}`)
    }
  }
})

t.test('editors export drafts and pools of a source, other users only visible content', async (t) => {
  const source = await createSource(db)
  const editor = await createEditor(service, source)
  const deck = await writeDeck(editor, source, { name: 'Offen' })
  await writeCard(editor, deck, { question: 'Sichtbar?' })
  await writeCard(editor, deck, { question: 'Verborgen?', draft: true })
  const pool = await writeDeck(editor, source, { name: 'Pool', tests_only: true })
  await writeCard(editor, pool, { question: 'Geheim?' })
  const exportOf = async (caller: Caller) => {
    const files = await unzip(await download(t, service, caller.cookie, `source=${source}`))
    return [...files.values()].join('\n')
  }
  for (const caller of [editor, admin]) {
    const text = await exportOf(caller)
    for (const question of ['Sichtbar?', 'Verborgen?', 'Geheim?']) t.ok(text.includes(question), question)
  }
  for (const caller of [member, author]) {
    const text = await exportOf(caller)
    t.ok(text.includes('Sichtbar?'))
    t.notOk(/Verborgen|Geheim|Pool/.test(text))
  }
  const csv = (await download(t, service, editor.cookie, `source=${source}&format=csv`)).toString()
  t.ok(csv.includes('Sichtbar?'))
  t.notOk(/Verborgen|Geheim|Was ist/.test(csv), 'only a Markdown export of this source contains them')
  t.match(await editor.get('/api/content/export?source=999999'), { status: 404 })
  t.match(await editor.get('/api/content/export?source=x'), { status: 400 })
  t.match(await editor.get(`/api/content/export?source=${source}&deck=${deck}`), { status: 400 })
})

t.test('an upload does not restore a test that an editor archived unless its replacement is requested', async (t) => {
  const editor = await createEditor(service)
  const stuff = deckFile('Stoff', [{ id: 'eins', answer: 'A\n\n- [x] a\n- [ ] b\n- [ ] c' }])
  const test = '---\nname: Stoff\nsections:\n  - { deck: stoff }\n---\n'
  const file = await zipOf({ 'decks/stoff.md': stuff, 'tests/stoff.md': test })
  const first = await upload(editor, 'name=Stoff.zip', file)
  t.match(first, { status: 200, body: { stats: { tests: { created: 1 } } } })
  const { id } = first.body.source
  const stateOf = async () => (await editor.get(`/api/content/tests?source=${id}`)).body.tests[0].state
  const { slug } = (await editor.get(`/api/content/tests?source=${id}`)).body.tests[0]
  t.equal((await editor.patch(`/api/content/tests/${slug}`, { archived: true })).status, 200)
  t.match((await upload(editor, `source=${id}`, file)).body.stats.tests, { updated: 0, unchanged: 1 })
  t.equal(await stateOf(), 'archived')
  t.match((await upload(editor, `source=${id}&keep=theirs`, file)).body.stats.tests, { updated: 1 })
  t.equal(await stateOf(), 'published')
})

t.test('a table with wrong answers makes questions, also an exported one', async (t) => {
  const editor = await createEditor(service)
  const text = 'Frage;Antwort;Falsch 1;Falsch 2;Erklärung\nWann?;72 Stunden;24 Stunden;- nie;Art. 33\n'
  const first = await upload(editor, 'name=Fragen.csv', Buffer.from(text))
  t.match(first, { status: 200, body: { stats: { cards: { created: 1 } } } })
  const cardsOf = async ({ body }: Awaited<ReturnType<typeof upload>>) => {
    const { decks } = (await editor.get(`/api/content/decks?source=${body.source.id}`)).body
    const { cards } = (await editor.get(`/api/content/cards?deck=${decks[0].slug}`)).body
    return cards.map(({ question, answer, options }: Record<string, unknown>) => ({ question, answer, options }))
  }
  const cards = await cardsOf(first)
  t.match(cards, [{ question: 'Wann?', answer: 'Art. 33', options: [{ text: '72 Stunden', correct: true }, {}, {}] }])
  const exported = await editor.get(`/api/content/sources/${first.body.source.id}/questions?format=csv`)
  const again = await upload(editor, 'name=Export.csv', Buffer.from(exported.text))
  t.strictSame(await cardsOf(again), cards)
  const faulty = await upload(editor, 'name=Kaputt.csv', Buffer.from('Frage;Antwort;Falsch\na;"b\n\nc";d\n'))
  t.match(faulty, { status: 400, body: { errors: [{ file: 'Kaputt.csv', line: 2 }] } })
})

t.test('a card that leaves an uploaded source is not marked as an edit of an upload', async (t) => {
  const { id } = (await upload(author, 'name=Fort.csv', tableOf({ fort: 'Weg' }))).body.source
  t.type(id, 'number')
  const written = (await author.post('/api/content/sources', { name: 'Eigenes' })).body.source.id
  const deck = await writeDeck(author, written)
  const card = await cardOf('Was ist fort?')
  const change = { version: 1, answer: 'Woanders', deck }
  t.equal((await author.patch(`/api/content/cards/${card.id}`, change)).status, 200)
  t.match(await cardOf('Was ist fort?'), { answer: 'Woanders', edited: false })
})
