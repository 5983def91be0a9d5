import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { deckFile } from '../support/content.js'
import { errorBody, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

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

t.test('a table that updates its source stays in its deck, whatever its file is called', async (t) => {
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
  t.equal(source.name, 'Ordner', 'a file loses its folders')
  t.match(await upload('source=999&check=true', TABLE), { status: 404 })
})

t.test('two rows that come to one key are one card, and told', async (t) => {
  const first = await upload('name=Schluessel.csv', 'Frage;Antwort;Id\nEins?;1;\n')
  t.equal(first.status, 200)
  const csv = (await admin.get('/api/content/export?format=csv&deck=schluessel')).text
  const key = /frage-[0-9a-f]{24}/.exec(csv)?.[0]
  const answer = await upload('name=Doppelt.csv', `Frage;Antwort;Id\nEins?;1;${key}\nEins?;2;\n`)
  t.match(answer, { status: 200, body: { stats: { cards: { created: 1 } } } })
  t.match(answer.body.stats.warnings.at(-1), { line: 3, message: /Dieselbe Karte steht schon in Zeile 2/ })
})

t.test('an archive takes no deck', async (t) => {
  const zip = await zipOf({ 'decks/netz.md': deckFile('Netz', [{ id: 'dns' }]) })
  const message = 'Ein Archiv sagt selbst, in welchen Decks seine Karten stehen: bitte ohne „Deck“'
  const { status, body } = await upload('name=netz.zip&deck=X', zip)
  t.strictSame([status, body], [400, errorBody(400, message)])
  t.equal((await upload('name=netz.zip&check=true', zip)).status, 200)
})
