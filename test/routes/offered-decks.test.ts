import t from 'tap'
import { createCard, createDeck } from '../support/factories.js'
import { startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()
const [erika, otto] = [await service.member(), await service.member()]

const upload = (query: string, table: string) =>
  admin.post(`/api/content/imports?${query}`, Buffer.from(table), {
    headers: { 'content-type': 'application/octet-stream' },
  })
type Member = typeof erika
const choose = (member: Member, slug: string, active: boolean) =>
  member.send({ method: 'PUT', url: `/api/review/decks/${slug}`, payload: { active } })
async function activeOf(member: Member): Promise<Record<string, boolean>> {
  const { decks } = (await member.get('/api/review/decks')).body
  return Object.fromEntries(decks.map(({ slug, active }: { slug: string; active: boolean }) => [slug, active]))
}
const questionsOf = async (member: Member, query = '') =>
  (await member.get(`/api/review/queue${query}`)).body.cards.map(({ question }: { question: string }) => question)

const script = await createDeck(db, { slug: 'skript', name: 'Zuletzt', sort_order: 70 })
await createCard(db, { deck_id: script.id, question: 'Alt?' })

t.test('the decks of an upload come last and are inactive until a learner activates them', async (t) => {
  const response = await upload('name=Anfang.csv', 'id;deck;Frage;Antwort\n1;Anfang;Neu?;Ja\n')
  t.equal(response.status, 200, JSON.stringify(response.body))
  const { decks } = (await erika.get('/api/decks')).body
  t.strictSame(
    decks.map(({ slug }: { slug: string }) => slug),
    ['skript', 'anfang'],
  )
  t.notOk('active' in decks[1], 'the list of decks keeps its properties')
  t.strictSame(await activeOf(erika), { skript: true, anfang: false })
  t.strictSame(await questionsOf(erika), ['Alt?'])
  t.strictSame(await questionsOf(erika, '?deck=anfang'), ['Neu?'], 'the queue of the deck ignores the choice')

  t.equal((await choose(erika, 'anfang', true)).body.active, true)
  t.strictSame(await questionsOf(erika), ['Alt?', 'Neu?'])
  t.strictSame((await erika.get('/api/accounts/me/data')).body.chosen_decks, ['anfang'])
  t.strictSame(
    await activeOf(otto),
    { skript: true, anfang: false },
    'the choice of one learner does not affect another one',
  )

  await upload('source=1', 'id;deck;Frage;Antwort\n1;Anfang;Neuer?;Ja\n')
  t.strictSame(await activeOf(erika), { skript: true, anfang: true }, 'the next upload changes no choice')
  t.equal((await choose(erika, 'anfang', false)).body.active, false)
  t.strictSame(await db.selectFrom('chosen_decks').selectAll().execute(), [])
})

t.test('on request the decks of an upload are active for all learners', async (t) => {
  t.equal((await upload('name=Pflicht.csv&active=true', 'Frage;Antwort\nPflicht?;Ja\n')).status, 200)
  const active = await activeOf(otto)
  t.equal(Object.values(active).filter(Boolean).length, 2)
  t.equal((await upload('name=Falsch.csv&active=ja', 'Frage;Antwort\nx;y\n')).status, 400)
})

t.test('a new deck is active if learned cards move into it', async (t) => {
  await upload('name=Umzug.csv&active=true', 'id;deck;Frage;Antwort\n1;Vorher;Bekannt?;Ja\n')
  const { sources } = (await admin.get('/api/content/sources')).body
  const { id } = sources.find(({ name }: { name: string }) => name === 'Umzug')
  await upload(`source=${id}`, 'id;deck;Frage;Antwort\n1;Nachher;Bekannt?;Ja\n')
  t.equal((await activeOf(otto)).nachher, true)
})

t.test('a new deck is a draft, offered, or active for all learners', async (t) => {
  const { source } = (await admin.post('/api/content/sources', { name: 'Werkstatt' })).body
  const create = async (values: object) => {
    const response = await admin.post('/api/content/decks', { source_id: source.id, ...values })
    t.equal(response.status, 200, JSON.stringify(response.body))
    return response.body.deck
  }
  const draft = await create({ name: 'Entwurf', visibility: 'draft' })
  await create({ name: 'Angebot', visibility: 'offered' })
  await create({ name: 'Aktiv', visibility: 'active' })
  await create({ name: 'Ohne Angabe' })
  t.match(await activeOf(otto), { angebot: false, aktiv: true, 'ohne-angabe': true })
  t.notOk('entwurf' in (await activeOf(otto)))
  t.equal((await otto.get('/api/decks/entwurf')).status, 404)
  t.equal((await admin.patch(`/api/content/decks/${draft.slug}`, { archived: false })).status, 200)
  t.match(await activeOf(otto), { entwurf: false }, 'a released draft is offered')
  t.equal((await admin.post('/api/content/decks', { source_id: source.id, name: 'x', visibility: 'y' })).status, 400)
})
