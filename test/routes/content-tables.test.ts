import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { deckFile } from '../support/content.js'
import { errorBody, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'
import { workbookOf } from '../support/workbooks.js'

const tmpDir = await mkdtemp(path.join(tmpdir(), 'svc-training-tables-'))
t.teardown(() => rm(tmpDir, { recursive: true }))
const service = await startService(t, { config: { tmpDir } })
const admin = await service.admin()

const OCTETS = { headers: { 'content-type': 'application/octet-stream' } }
const upload = (query: string, file: string | Uint8Array) =>
  admin.post(`/api/content/imports?${query}`, Buffer.from(file), OCTETS)
const listDecks = async () =>
  (await admin.get('/api/decks')).body.decks.map(({ slug, name }: { slug: string; name: string }) => [slug, name])

const TABLE = 'Frage;Antwort\nWas ist DNS?;Namen\nWas ist ARP?;Adressen\n'

t.test('a table that updates its source keeps its deck under any file name', async (t) => {
  const first = await upload(`name=${encodeURIComponent('Netz und TCP/IP')}`, TABLE)
  t.match(first, { status: 200, body: { source: { name: 'Netz und TCP/IP' }, stats: { cards: { created: 2 } } } })
  const { id } = first.body.source
  const decks = await listDecks()
  t.strictSame(decks, [['netz-und-tcp-ip', 'Netz und TCP/IP']])
  const same = { decks: { created: 0, archived: 0 }, cards: { created: 0, updated: 0, unchanged: 2, archived: 0 } }
  for (const name of ['', '&name=netz-neu.csv', '&name=Anders']) {
    for (const more of ['&check=true', '', '&mirror=true']) {
      t.match(await upload(`source=${id}${name}${more}`, TABLE), { status: 200, body: { stats: same } }, name + more)
    }
    t.strictSame(await listDecks(), decks)
  }
  const { source } = (await upload('name=C:\\a/b/Ordner.csv&check=true', TABLE)).body
  t.equal(source.name, 'Ordner', 'the folders of a file name are removed')
  t.match(await upload('source=999&check=true', TABLE), { status: 404 })
})

t.test('two rows with the same key are one card, with a warning', async (t) => {
  const first = await upload('name=Schluessel.csv', 'Frage;Antwort;Id\nEins?;1;\n')
  t.equal(first.status, 200)
  const csv = (await admin.get('/api/content/export?format=csv&deck=schluessel')).text
  const key = /frage-[0-9a-f]{24}/.exec(csv)?.[0]
  const response = await upload('name=Doppelt.csv', `Frage;Antwort;Id\nEins?;1;${key}\nEins?;2;\n`)
  t.match(response, { status: 200, body: { stats: { cards: { created: 1 } } } })
  t.match(response.body.stats.warnings.at(-1), { line: 3, message: /Dieselbe Karte steht schon in Zeile 2/ })
})

t.test('a table with unknown columns is imported after the author has chosen them', async (t) => {
  const table = 'Tier;Laut;Beine;Kapitel\nHund;bellt;4;Haus\nHuhn;gackert;2;Hof\n'
  const check = await upload('name=Tiere.csv&check=true', table)
  t.match(check, {
    status: 200,
    body: {
      stats: { cards: { created: 0 } },
      table: { separator: 'semicolon', unclear: true, columns: [{ examples: ['Tier', 'Hund', 'Huhn'], role: null }] },
    },
  })
  const refused = await upload('name=Tiere.csv', table)
  t.match(refused, { status: 400, headers: { 'x-error-code': 'columns_unclear' } })
  t.match(refused.body.message, /„columns“ an, etwa question,answer/)
  const chosen = await upload('name=Tiere.csv&columns=question,answer,-,deck&headings=true', table)
  t.match(chosen, { status: 200, body: { stats: { cards: { created: 2 }, decks: { created: 2 } } } })
  t.match(chosen.body.table.columns, [
    { heading: 'Tier', examples: ['Hund', 'Huhn'], role: 'question' },
    { role: 'answer' },
    { role: null },
    { role: 'deck' },
  ])
  const next = `${table}Kuh;muht;4;Hof\n`
  t.match(await upload(`source=${chosen.body.source.id}`, next), {
    status: 200,
    body: { stats: { cards: { created: 1, unchanged: 2 } } },
  })
  const other = await upload(`source=${chosen.body.source.id}`, next.replace('Kapitel', 'Ort'))
  t.match(other, { status: 400 }, 'the choice is for tables with these headings')
})

t.test('a workbook remembers the choice of its columns too', async (t) => {
  const rows = [
    ['Hund', 'dog', 'der'],
    ['Katze', 'cat', 'die'],
  ]
  const book = await workbookOf({ sheets: [{ rows }] })
  const check = await upload('name=Woerter.xlsx&check=true', book)
  t.match(check.body.table, { separator: null, unclear: true, columns: [{ examples: ['Hund', 'Katze'] }, {}, {}] })
  t.match(await upload('name=Woerter.xlsx', book), { status: 400 })
  const { status, body } = await upload('name=Woerter.xlsx&columns=question,answer,-', book)
  t.match([status, body.stats.cards], [200, { created: 2 }])
  t.match(await upload(`source=${body.source.id}`, book), { status: 200, body: { stats: { cards: { unchanged: 2 } } } })
})

t.test('refuses a choice that makes no cards', async (t) => {
  const messageOf = async (query: string) => (await upload(`name=x.csv&${query}`, 'a;b;c\n')).body.message
  t.match(await messageOf('columns=question,anser'), /„columns“ muss aus question, answer, .* bestehen/)
  t.match(await messageOf('columns=question,question,answer'), /„columns“ nennt question zweimal/)
  for (const columns of ['question', 'question,option,correct', '-,-']) {
    t.match(await messageOf(`columns=${columns}`), /„columns“ braucht question und answer/, columns)
  }
  t.match(await messageOf('separator=x'), /„separator“ muss tab, semicolon, comma oder pipe sein/)
  t.match(await upload('name=x.csv&separator=comma&check=true', 'a;b,c;d\n'), {
    status: 200,
    body: { table: { separator: 'comma' }, examples: [{ after: { question: 'a;b', answer: 'c;d' } }] },
  })
})

t.test('leaves no source behind if all content of a file belongs to another source', async (t) => {
  const table = 'Frage;Antwort;GUID\nWem gehört sie?;dem Ersten;eigen-1\n'
  const sources = async () =>
    (await admin.get('/api/content/sources')).body.sources.map(({ name }: { name: string }) => name)
  t.match(await upload('name=Erste.csv', table), { status: 200, body: { source: { id: Number } } })
  const before = await sources()
  const { status, body } = await upload('name=Zweite.csv', table)
  t.match([status, body.message, body.source.id], [200, 'Es gab nichts zu übernehmen', null])
  t.match(body.stats, { cards: { created: 0, updated: 0 }, warnings_total: 1 })
  t.strictSame(await sources(), before)
  t.match(await upload('name=Zweite.csv', table.replace('eigen-1', 'eigen-2')), { body: { source: { id: Number } } })
})

t.test('imports an Excel workbook under the name of its file', async (t) => {
  const book = await workbookOf({
    sheets: [
      {
        rows: [
          ['Begriff', 'Definition'],
          ['Was ist BGP?', 'Wege'],
        ],
      },
    ],
  })
  const { status, body } = await upload('name=Wege.xlsx', book)
  t.match([status, body.source], [200, { kind: 'table', name: 'Wege' }])
  t.match(body.decks, [{ name: 'Wege', created: 1 }])
  t.match(await upload(`source=${body.source.id}`, 'Frage;Antwort\nWas ist BGP?;Wege\n'), {
    status: 200,
    body: { stats: { cards: { created: 0, unchanged: 1 } } },
  })
  const refused = await upload('name=alt.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'))
  t.equal(refused.status, 400)
  t.match(refused.body.message, /^Das ist eine Datei eines alten Office-Programms/)
  t.equal(refused.headers['x-error-code'], 'foreign_file')
  t.equal(refused.headers['x-error-details'], '{"kind":"as_table","type":"Office"}', 'through the worker thread')
})

t.test('an archive accepts no deck option', async (t) => {
  const zip = await zipOf({ 'decks/netz.md': deckFile('Netz', [{ id: 'dns' }]) })
  const message = 'Ein Archiv sagt selbst, in welchen Decks seine Karten stehen: bitte ohne „Deck“'
  const { status, body } = await upload('name=netz.zip&deck=X', zip)
  t.strictSame([status, body], [400, errorBody(400, message)])
  t.equal((await upload('name=netz.zip&check=true', zip)).status, 200)
})
