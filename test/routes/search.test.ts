import { sql, type Transaction } from 'kysely'
import t from 'tap'
import { readSearchTexts } from '../../db/queries/search/index-words.js'
import type { Database } from '../../db/types.js'
import { deleteWords } from '../../src/services/jobs/delete-words.js'
import { countStatements, createMigratedDatabase, TEST_DATABASE_URL, waitUntilBlocked } from '../support/database.js'
import { createCard, createCheatsheet, createDeck } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'
import { until } from '../support/until.js'

const service = await startService(t)
const { database, db } = service
const member = await service.member()

t.afterEach(async () => {
  await db.deleteFrom('decks').execute()
  await db.deleteFrom('cheatsheets').execute()
})

interface Hit {
  kind: string
  title: string
  excerpt: string
  title_ranges: [number, number][]
  excerpt_ranges: [number, number][]
}

const askOnce = async (q: string, more = {}) => {
  const response = await member.get(`/api/search?${new URLSearchParams({ q, ...more })}`)
  if (response.status !== 200) throw new Error(response.text)
  return response.body as { query: string; corrected: boolean; complete: boolean; results: Hit[] }
}
/** Repeats the search until the results are complete, because indexing may take longer than a search waits for it. */
const ask = async (q: string, more = {}) => {
  let found = await askOnce(q, more)
  await until(async () => {
    if (!found.complete) found = await askOnce(q, more)
    return found.complete
  })
  return found
}
const titles = async (q: string, more = {}) => (await ask(q, more)).results.map(({ title }) => title)
const marked = (text: string, ranges: [number, number][]) => ranges.map(([start, end]) => text.slice(start, end))

t.test('returns decks, sheets and cards in one list with excerpts', async (t) => {
  const deck = await createDeck(db, { slug: 'git', name: 'Git', description: 'Zweige und **Stash**' })
  const card = await createCard(db, {
    deck_id: deck.id,
    question: 'Was macht `git stash`?',
    answer: 'Legt Änderungen\n- beiseite\n- als <b>Stapel</b>',
  })
  const sheet = {
    slug: 'befehle',
    title: 'Git-Befehle',
    category: 'Git',
    content_md: '# Git\n\nErst `git stash`, dann pop.',
  }
  await createCheatsheet(db, sheet)
  t.strictSame(await ask('GIT stash'), {
    query: 'GIT stash',
    results: [
      {
        kind: 'card',
        slug: null,
        lang: 'de',
        card_id: card.id,
        title: 'Was macht git stash?',
        deck: { slug: 'git', name: 'Git' },
        category: null,
        excerpt: 'Legt Änderungen beiseite als Stapel',
        title_ranges: [
          [10, 13],
          [14, 19],
        ],
        excerpt_ranges: [],
      },
      {
        kind: 'deck',
        slug: 'git',
        lang: 'de',
        card_id: null,
        title: 'Git',
        deck: null,
        category: null,
        excerpt: 'Zweige und Stash',
        title_ranges: [[0, 3]],
        excerpt_ranges: [[11, 16]],
      },
      {
        kind: 'cheatsheet',
        slug: 'befehle',
        lang: 'de',
        card_id: null,
        title: 'Git-Befehle',
        deck: null,
        category: 'Git',
        excerpt: 'Git Erst git stash, dann pop.',
        title_ranges: [[0, 3]],
        excerpt_ranges: [
          [0, 3],
          [9, 12],
          [13, 18],
        ],
      },
    ],
    corrected: false,
    complete: true,
  })
})

t.test('ranks titles first, then whole words, then forms and parts', async (t) => {
  const deck = await createDeck(db, { name: 'Grundlagen' })
  const card = (question: string, answer: string) => createCard(db, { deck_id: deck.id, question, answer })
  await card('Teil im Text', 'ein Terminalbefehl')
  await card('Form im Text', 'mehrere Befehle')
  await card('Wort im Text', 'ein BEFEHL')
  await card('Ein Terminalbefehl als Titel', 'x')
  await card('Zwei Befehle als Titel', 'x')
  await card('Der Befehl als Titel', 'x')
  await createCheatsheet(db, { title: 'Befehl', content_md: 'x' })
  t.strictSame(await titles('befehl'), [
    'Befehl',
    'Der Befehl als Titel',
    'Zwei Befehle als Titel',
    'Ein Terminalbefehl als Titel',
    'Wort im Text',
    'Form im Text',
    'Teil im Text',
  ])
  t.strictSame(await titles('befehl', { limit: 2 }), ['Befehl', 'Der Befehl als Titel'])
  const part = (await ask('befehl')).results[3] as Hit
  t.strictSame(marked(part.title, part.title_ranges), ['befehl'], 'the matching part of a compound is marked')
})

t.test('finds German word forms and both spellings of umlauts, in any Unicode form', async (t) => {
  const deck = await createDeck(db)
  await createCard(db, { deck_id: deck.id, question: 'Die Ha\u0308user der Ordner', answer: 'Sie löschten Straßen.' })
  for (const q of ['haus', 'Häuser', 'HAEUSER', 'löschen', 'loeschten', 'strasse', 'Ordnern', 'STRASSEN']) {
    t.equal((await titles(q)).length, 1, q)
  }
  t.strictSame(await titles('Hausboot'), [])
})

t.test('all words must occur in one item', async (t) => {
  const deck = await createDeck(db, { description: 'reset' })
  await createCard(db, { deck_id: deck.id, question: 'eins rebase', answer: 'zwei' })
  await createCard(db, { deck_id: deck.id, question: 'eins', answer: 'drei' })
  t.strictSame(await titles('zwei rebase eins'), ['eins rebase'])
  t.strictSame(await titles('eins reset'), [])
  t.strictSame(await titles('zwei drei'), [])
})

t.test('corrects one typing error in words of five or more letters if nothing else is found', async (t) => {
  const deck = await createDeck(db, { name: 'Deck', description: 'x' })
  await createCard(db, { deck_id: deck.id, question: 'Was macht rebase?', answer: 'Zweige umhängen' })
  for (const q of ['rebsae', 'rebae', 'rebasse', 'rebose', 'xebase', 'macht rebsae', 'zweihe', 'umhaengne']) {
    const { results, corrected } = await ask(q)
    t.strictSame([results.length, corrected], [1, true], q)
  }
  const { results } = await ask('rebsae')
  t.strictSame(marked(results[0]?.title ?? '', results[0]?.title_ranges ?? []), ['rebase'])
  t.match(await ask('rebase'), { corrected: false })
  for (const q of ['wsa', 'rbsae', 'rebase fehlt', 'rebsae xyz']) {
    t.match(await ask(q), { results: { length: 0 }, corrected: false }, q)
  }
})

t.test('does not find archived items or those in archived decks until restored', async (t) => {
  const deck = await createDeck(db, { name: 'Einmaliges' })
  await createCard(db, { deck_id: deck.id, question: 'Einmaliges' })
  await createCard(db, { deck_id: deck.id, question: 'Einmaliges', archived_at: new Date() })
  await createCheatsheet(db, { title: 'Einmaliges', archived_at: new Date() })
  t.equal((await titles('einmaliges')).length, 2)
  await db.updateTable('decks').set({ archived_at: new Date() }).execute()
  t.strictSame(await titles('einmaliges'), [])
  await db.updateTable('decks').set({ archived_at: null }).execute()
  await db.updateTable('cheatsheets').set({ archived_at: null }).execute()
  t.equal((await titles('einmaliges')).length, 3)
})

t.test('finds rows written, changed, renumbered and deleted by scripts in their current state', async (t) => {
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id, question: 'Anfangs' })
  t.strictSame(await titles('anfangs'), ['Anfangs'])
  await db.updateTable('cards').set({ question: 'Danach' }).where('id', '=', card.id).execute()
  t.strictSame([await titles('anfangs'), await titles('danach')], [[], ['Danach']])
  await db
    .updateTable('cards')
    .set({ id: card.id + 1_000, answer: 'umgezogen' })
    .where('id', '=', card.id)
    .execute()
  t.strictSame([await titles('danach'), await titles('umgezogen')], [['Danach'], ['Danach']])
  await db.updateTable('decks').set({ name: 'Umbenannt' }).execute()
  t.strictSame(await titles('umbenannt'), ['Umbenannt'])
  await db.deleteFrom('cards').execute()
  t.strictSame(await titles('danach'), [])
})

t.test('hostile and empty queries find nothing and cause no error', async (t) => {
  const deck = await createDeck(db, { description: 'a_b 100%' })
  await createCard(db, { deck_id: deck.id, question: 'Was ist \\ und %?', answer: "it's & | ! <-> :*" })
  const nothing = ['', ' ', '%', '_', '\\', "'", '"', '\0', '%_\\', '& | ! <-> :* ( )', '😀', '\ud800', '…', '​']
  for (const q of nothing) t.match(await ask(q), { results: { length: 0 }, corrected: false }, JSON.stringify(q))
  t.match((await member.get('/api/search')).body, { query: '', results: { length: 0 }, corrected: false })
  for (const q of ["und' & !was", 'was:*', 'was <-> ist', 'was\0ist', '\\was%', '(was'])
    t.equal((await titles(q)).length, 1, q)
  for (const q of [
    'a '.repeat(100),
    'abcdefgh '.repeat(22),
    [...'abcdefghijklmnopqrstuvwxyz'].join(' '),
    'x'.repeat(200),
  ]) {
    await ask(q)
  }
})

t.test('finds a compound by its separate parts, and the reverse', async (t) => {
  await createCheatsheet(db, { title: 'Getrennt', content_md: 'Die Subnetz Maske trennt Netz und Host.' })
  await createCheatsheet(db, { title: 'Bindestrich', content_md: 'Mehrere Subnetz-Masken in einer Tabelle' })
  await createCheatsheet(db, {
    title: 'Verstreut',
    content_md: 'Ein Subnetz hat ein Gateway; die Maske steht daneben.',
  })
  const found = await ask('Subnetzmaske')
  t.strictSame([found.corrected, found.results.map(({ title }) => title).sort()], [false, ['Bindestrich', 'Getrennt']])
  const marks = found.results.find(({ title }) => title === 'Getrennt')
  t.strictSame(marked(marks?.excerpt ?? '', marks?.excerpt_ranges ?? []), ['Subnetz', 'Maske'])
  t.strictSame(await titles('trennt Subnetzmaske'), ['Getrennt'], 'with other words in the query')

  await createCheatsheet(db, { title: 'Zusammen', content_md: 'Die Subnetzmaske' })
  t.equal((await titles('Subnetzmaske'))[0], 'Zusammen', 'the word itself comes first')
  t.ok((await titles('Subnetz Maske')).includes('Zusammen'))
  t.strictSame(await titles('Verbindungsaufbau'), [])
  await createCheatsheet(db, { title: 'Fuge', content_md: 'Verbindungs-Aufbau' })
  t.strictSame(await titles('Verbindungsaufbau'), ['Fuge'])
})

t.test('limits a query to 200 characters', async (t) => {
  t.equal((await ask('😀'.repeat(200))).results.length, 0)
  const response = await member.get(`/api/search?q=${'x'.repeat(201)}`)
  t.strictSame([response.status, response.body], [400, errorBody(400, 'Höchstens 200 Zeichen')])
  t.match(response.headers, { 'x-error-field': 'q', 'x-error-details': '{"maximum":200}' })
  const noNumber = await member.get('/api/search?q=x&limit=viele')
  t.strictSame(noNumber.body, errorBody(400, 'Der Parameter „limit“ muss eine Zahl sein'))
})

t.test('finds a word of any length by its beginning', async (t) => {
  await createCheatsheet(db, { title: 'Lang', content_md: `${'ab'.repeat(5_000)} Ende` })
  const { results } = await ask('ab'.repeat(60))
  t.equal(results[0]?.title, 'Lang')
  t.ok((results[0]?.excerpt.length ?? 0) < 170)
})

t.test('indexes large changes in the background', async (t) => {
  const deck = await createDeck(db)
  // A transaction indexes about 300 cards.
  const values = Array.from({ length: 400 }, (_, index) => ({
    deck_id: deck.id,
    question: `Frage ${index}`,
    answer: `Antwort nummer${index} ${'mit vielen Wörtern darin '.repeat(5)}`,
  }))
  await db.insertInto('cards').values(values).execute()
  t.strictSame(await titles('nummer399'), ['Frage 399'])
  t.strictSame(await titles('nummer17', { limit: 3 }), ['Frage 17', 'Frage 170', 'Frage 171'])
})

const onServer = TEST_DATABASE_URL !== undefined
/** Takes the lock of `tryLock(transaction, 'search index')`, and waits for a background run that holds it. */
const lockIndex = (transaction: Transaction<Database>) =>
  sql`select pg_advisory_xact_lock(hashtext('svc-training search index'))`.execute(transaction)
const summary = ({ results, complete }: { results: Hit[]; complete: boolean }) => ({
  titles: results.map(({ title }) => title),
  complete,
})

t.test(
  'reports incomplete results while another instance is indexing',
  { skip: !onServer && 'the embedded database has one connection' },
  async (t) => {
    await db.transaction().execute(async (other) => {
      await lockIndex(other)
      await createCheatsheet(db, { title: 'Noch nicht dabei' })
      t.strictSame(summary(await askOnce('dabei')), { titles: [], complete: false })
    })
    t.strictSame(summary(await ask('dabei')), { titles: ['Noch nicht dabei'], complete: true })
  },
)

t.test(
  'does not wait for rows that a deletion has locked, and indexes them if they stay',
  { skip: !onServer && 'the embedded database has one connection' },
  async (t) => {
    const deck = await createDeck(db, { name: 'Bleibt erhalten' })
    const card = await createCard(db, { deck_id: deck.id, question: 'Bleibt auch' })
    await ask('bleibt')
    await db.transaction().execute(async (deletion) => {
      await db.transaction().execute(async (pause) => {
        await lockIndex(pause)
        await db.updateTable('decks').set({ name: 'Bleibt doch' }).where('id', '=', deck.id).execute()
        await createCheatsheet(db, { title: 'Wird doch gefunden' })
        await sql`savepoint kept`.execute(deletion)
        // Changes the deck's number of cards before the deck is deleted, as a purge of a source does.
        await deletion.deleteFrom('cards').where('deck_id', '=', deck.id).execute()
        await deletion.deleteFrom('decks').where('id', '=', deck.id).execute()
      })
      let found = await askOnce('doch')
      await until(async () => {
        if (found.results.length === 0) found = await askOnce('doch')
        return found.results.length > 0
      })
      t.strictSame(summary(found), { titles: ['Wird doch gefunden'], complete: false })
      await sql`rollback to savepoint kept`.execute(deletion)
    })
    t.strictSame(summary(await ask('doch')), { titles: ['Bleibt doch', 'Wird doch gefunden'], complete: true })

    let deletion: Promise<unknown> | undefined
    await db.transaction().execute(async (indexing) => {
      await lockIndex(indexing)
      t.match(await readSearchTexts(indexing, 'card', [card.id]), { texts: [{ id: card.id }], isPutBack: false })
      deletion = db.deleteFrom('decks').where('id', '=', deck.id).execute()
      await waitUntilBlocked(database)
      t.strictSame(await readSearchTexts(indexing, 'deck', [deck.id]), { texts: [], isPutBack: true })
    })
    await deletion
    t.strictSame(summary(await ask('doch')), { titles: ['Wird doch gefunden'], complete: true })
    t.strictSame(await db.selectFrom('search_cards').select('item_id').where('item_id', '=', card.id).execute(), [])
  },
)

t.test('other paths are unknown, and only members may search', async (t) => {
  t.strictSame((await member.get('/api/search/x')).body, errorBody(404, 'Unbekannter Such-Endpunkt'))
  t.strictSame((await member.post('/api/search')).body, errorBody(404, 'Unbekannter Such-Endpunkt'))
  t.equal((await service.anonymous.get('/api/search?q=x')).status, 401)
})

t.test('a query that costs much looks up a bounded number of words, in bounded statements', async (t) => {
  const counter = countStatements(await createMigratedDatabase())
  const { db, member } = await startService(t, { database: counter.database })
  const caller = await member()
  const deck = await createDeck(db)
  await createCard(db, { deck_id: deck.id, question: 'Was ist eine Rechnung?', answer: 'Ein Beleg' })
  const costly = (q: string) => counter.countOf(() => caller.get(`/api/search?${new URLSearchParams({ q })}`))
  await costly('Rechnung')
  const words = Array.from({ length: 8 }, (_, at) => 'unbekannteswortohnetreffer'.slice(at).padEnd(24, 'xyz'))
  for (const q of ['ä'.repeat(100), words.join(' '), 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn']) {
    const count = await costly(q)
    t.ok(count <= 30, `${count} statements for ${q}`)
  }
  const corrected = await caller.get('/api/search?q=rechnugn')
  t.match(corrected.body, { corrected: true, results: [{ kind: 'card' }] })
})

t.test('one user searches once at a time, and five searches wait', async (t) => {
  let refused = 0
  const ask = async (q: string) => {
    const response = await member.get(`/api/search?q=${q}`)
    if (response.status === 429) refused++
    return response
  }
  const asked: ReturnType<typeof ask>[] = []
  await db.transaction().execute(async (transaction) => {
    // Blocks the first search. On the embedded database, all requests wait for the connection and continue in turn.
    await sql`lock table search_words`.execute(transaction)
    for (let count = 0; count < 12; count++) asked.push(ask(`git${count}`))
    await (service.database.embedded ? waitUntilBlocked(service.database, 12) : until(() => refused === 6))
  })
  const responses = await Promise.all(asked)
  t.strictSame(responses.map(({ status }) => status).sort(), [...Array(6).fill(200), ...Array(6).fill(429)])
  t.ok(Number(responses.find(({ status }) => status === 429)?.headers['retry-after']) > 0)
  t.equal((await member.get('/api/search?q=unbekannteswort')).status, 200)
})

t.test('a job deletes the words that no deck, sheet or card contains any more', async (t) => {
  const storedOf = async (words: string[]) =>
    (await db.selectFrom('search_words').select('word').where('word', 'in', words).orderBy('word').execute()).map(
      ({ word }) => word,
    )
  const run = () =>
    deleteWords({
      db,
      moment: (at = new Date()) => ({ at, today: '2026-12-01' }),
      timeZone: 'Europe/Berlin',
      answersKeepDays: 90,
      defaultLanguage: 'de' as const,
      resultsKeep: 'all',
      signal: new AbortController().signal,
      renewLease: async () => {},
      onError: () => {},
    })
  const deck = await createDeck(db, { name: 'Deckwort' })
  // More words than one batch of the job
  const filler = Array.from({ length: 200 }, (_, number) => `fuell${number}`).join(' ')
  const card = await createCard(db, { deck_id: deck.id, question: 'Gemeinsam', answer: `Gehalt ${filler}` })
  await createCard(db, { deck_id: deck.id, question: 'Gemeinsam', answer: 'Bleibt' })
  await createCheatsheet(db, { title: 'Blattwort', content_md: 'Bleibt' })
  await ask('Gehalt')
  await db.updateTable('cards').set({ answer: 'Anderes' }).where('id', '=', card.id).execute()
  await ask('Anderes')
  const words = ['anderes', 'blattwort', 'bleibt', 'deckwort', 'fuell0', 'fuell199', 'gehalt', 'gemeinsam']
  t.strictSame(await storedOf(words), words)
  await run()
  t.strictSame(
    await storedOf(words),
    words.filter((word) => !/gehalt|fuell/.test(word)),
  )
  await db.deleteFrom('decks').execute()
  await run()
  t.strictSame(await storedOf(words), ['blattwort', 'bleibt'])
})
