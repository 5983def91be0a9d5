import { sql } from 'kysely'
import t from 'tap'
import { type CardText, changeFiles, deckFile, writeContentFolder } from '../../../support/content.js'
import { createProgress, createUser } from '../../../support/factories.js'
import { errorBody, startService } from '../../../support/service.js'

const folder = await writeContentFolder(t, {})
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()

/** Imports a folder with these decks and a deck that never changes. Returns `stats` of the response. */
async function importDecks(decks: Record<string, { cards: CardText[]; aliases?: string[] } | null>, query = '') {
  const files = Object.entries({ bleibt: { cards: [{ id: 'bleibt' }] }, ...decks }).map(([slug, deck]) => {
    const front = deck && 'aliases' in deck ? { aliases: deck.aliases } : {}
    return [`decks/${slug}.md`, deck && deckFile(slug, deck.cards, front)] as const
  })
  await changeFiles(folder, Object.fromEntries(files))
  const { status, body, text } = await admin.post(`/api/admin/import${query}`)
  if (status !== 200) throw new Error(text)
  return body.stats
}

const findCards = (question: string) =>
  db
    .selectFrom('cards')
    .select(['id', 'deck_id', 'archived_at'])
    .where('question', '=', question)
    .orderBy('id')
    .execute()
const progressOf = async (cardId: number) =>
  (await db.selectFrom('card_progress').selectAll().where('card_id', '=', cardId).orderBy('user_id').execute()).map(
    ({ user_id, last_rating, deck_id }) => ({ user_id, last_rating, deck_id }),
  )
const suspensionsOf = async (cardId: number) =>
  (await db.selectFrom('suspended_cards').selectAll().where('card_id', '=', cardId).orderBy('user_id').execute()).map(
    ({ user_id }) => user_id,
  )
const idOf = async (question: string) => ((await findCards(question)).at(-1) as { id: number }).id
const noChanges = { created: 0, updated: 0, unchanged: 1, archived: 0 }

t.test('a late alias of a card transfers progress, learner by learner', async (t) => {
  await importDecks({ git: { cards: [{ id: 'alt' }] } })
  const old = await idOf('Frage alt?')
  const [onlyOld, both, onlySuspended, suspendedBoth] = [
    await createUser(db),
    await createUser(db),
    await createUser(db),
    await createUser(db),
  ]
  const learner = await service.member()
  t.equal((await learner.post('/api/review', { card_id: old, rating: 'easy' })).status, 200)
  const day = '2030-01-01'
  const rate = (user_id: number, card_id: number, last_rating: 'easy' | 'hard') =>
    createProgress(db, { user_id, card_id, last_rating, next_review: day })
  await rate(onlyOld.id, old, 'easy')
  await rate(both.id, old, 'easy')
  await rate(suspendedBoth.id, old, 'easy')
  const suspend = (user_id: number, card_id: number) =>
    db.insertInto('suspended_cards').values({ user_id, card_id }).execute()
  for (const { id } of [onlyOld, both, onlySuspended, suspendedBoth]) await suspend(id, old)

  const { warnings } = await importDecks({ git: { cards: [{ id: 'neu', question: 'Frage alt?' }] } })
  t.match(warnings, [{ file: 'decks/git.md', line: Number, message: /„neu“ ist neu.*„alt“.*aliases: \[alt\]/ }])
  const fresh = await idOf('Frage alt?')
  t.not(fresh, old)
  await rate(both.id, fresh, 'hard')
  await suspend(suspendedBoth.id, fresh)

  const log = await db.selectFrom('review_log').selectAll().execute()
  const late = { git: { cards: [{ id: 'neu', question: 'Frage alt?', aliases: ['alt'] }] } }
  const stats = await importDecks(late)
  t.strictSame([stats.cards, stats.warnings], [{ ...noChanges, updated: 1 }, []])
  const deck_id = (await findCards('Frage alt?')).at(-1)?.deck_id as number
  t.strictSame(
    await progressOf(fresh),
    [
      { user_id: onlyOld.id, last_rating: 'easy', deck_id },
      { user_id: both.id, last_rating: 'hard', deck_id },
      { user_id: suspendedBoth.id, last_rating: 'easy', deck_id },
      { user_id: learner.id, last_rating: 'easy', deck_id },
    ].sort((a, b) => a.user_id - b.user_id),
  )
  t.strictSame(await suspensionsOf(fresh), [onlyOld.id, onlySuspended.id, suspendedBoth.id])
  t.strictSame(
    await progressOf(old),
    [{ user_id: both.id, last_rating: 'easy', deck_id: null }],
    'the progress is not lost',
  )
  t.strictSame(await db.selectFrom('review_log').selectAll().execute(), log, 'the log is unchanged')
  const [deck] = (await learner.get('/api/decks')).body.decks.filter((one: { slug: string }) => one.slug === 'git')
  t.match(deck, { reviewed: 1, correct: 1 })

  await db.deleteFrom('card_progress').where('card_id', '=', fresh).where('user_id', '=', both.id).execute()
  t.strictSame((await importDecks(late)).cards, { ...noChanges, unchanged: 2 }, 'the transfer happens once')
  t.equal((await progressOf(fresh)).length, 3, 'a card that was reset stays without progress')
})

t.test('the alias of a deck keeps its row, cards and progress', async (t) => {
  const cards = [{ id: 'a', question: 'Umbenannt?' }]
  await importDecks({ git: null, vorher: { cards } })
  const user = await createUser(db)
  const [card] = await findCards('Umbenannt?')
  await createProgress(db, { user_id: user.id, card_id: card?.id as number, last_rating: 'easy', next_review: null })
  const stats = await importDecks({ vorher: null, nachher: { cards, aliases: ['vorher'] } })
  t.match(stats, { decks: { created: 0, archived: 0 }, cards: { created: 0, archived: 0 }, warnings: { length: 0 } })
  t.strictSame(await findCards('Umbenannt?'), [card])
  t.equal((await admin.get('/api/decks/nachher')).body.deck.id, card?.deck_id)
  t.equal((await admin.get('/api/decks/vorher')).status, 404)
  t.equal((await progressOf(card?.id as number)).length, 1)
})

t.test('a late alias of a deck transfers progress', async (t) => {
  const cards = [
    { id: 'b', question: 'Verspätet?' },
    { id: 'c', question: 'Auch?' },
  ]
  await importDecks({ nachher: null, früher: { cards } })
  const old = await idOf('Verspätet?')
  const user = await createUser(db)
  await createProgress(db, { user_id: user.id, card_id: old, last_rating: 'easy', next_review: null })
  const lost = await importDecks({ früher: null, später: { cards } })
  t.match(lost.warnings, [{ file: 'decks/später.md', line: 1, message: /„früher“ mit gleichen Karten \(2\)/ }])
  const fresh = await idOf('Verspätet?')
  t.strictSame([await progressOf(fresh), fresh === old], [[], false])
  const late = { später: { cards, aliases: ['früher'] } }
  t.match(await importDecks(late), { cards: { updated: 2, unchanged: 1 }, warnings: { length: 0 } })
  t.match(await progressOf(fresh), [{ user_id: user.id, last_rating: 'easy' }])
  t.match(await importDecks(late), { cards: { updated: 0, unchanged: 3 } })
})

t.test('impossible aliases are faults', async (t) => {
  const front = (aliases: string) => `---\nname: X\naliases: ${aliases}\n---\n`
  await changeFiles(folder, {
    'decks/später.md': front('[bleibt]'),
    'decks/x.md': front('[alt, 007]'),
    'decks/y.md': front('[alt]'),
    'decks/z.md': front('alt'),
  })
  const { status, body } = await admin.post('/api/admin/import')
  t.equal(status, 400)
  t.strictSame(body.errors, [
    { file: 'decks/später.md', line: 3, message: 'Der Alias „bleibt“ ist der Slug von decks/bleibt.md' },
    { file: 'decks/y.md', line: 3, message: 'Den Alias „alt“ hat schon decks/x.md' },
    {
      file: 'decks/z.md',
      line: 3,
      message: '„aliases“ muss eine Liste in eckigen Klammern sein, etwa [alter-name]',
    },
  ])
  await changeFiles(folder, { 'decks/x.md': null, 'decks/y.md': null, 'decks/z.md': null, 'decks/später.md': null })
})

t.test('an import that archives most cards needs `force`', async (t) => {
  const cards = Array.from({ length: 12 }, (_, index) => ({ id: `karte-${index}` }))
  await importDecks({ viele: { cards } })
  const live = () => sql`select id, updated_at from cards where archived_at is null order by id`.execute(db)
  const before = (await live()).rows
  await changeFiles(folder, { 'decks/viele.md': deckFile('viele', cards.slice(0, 4)) })
  const refused = await admin.post('/api/admin/import')
  t.equal(refused.status, 409)
  t.strictSame(refused.body, errorBody(409, 'Der Import würde 8 von 13 Karten archivieren; force=true erlaubt es'))
  t.strictSame((await live()).rows, before)
  t.equal((await admin.post('/api/admin/import?force=')).status, 409)
  t.strictSame(
    (await admin.post('/api/admin/import?force=ja')).body,
    errorBody(400, 'Der Parameter „force“ muss true oder false sein'),
  )
  const forced = await admin.post('/api/admin/import?force=true')
  t.match(forced.body.stats.cards, { archived: 8, unchanged: 5 })
  t.equal((await admin.post('/api/admin/import')).status, 200)
})
