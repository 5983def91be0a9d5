import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { CARD_TEXTS, type CardText, type CardTexts } from '../../../../src/domain/content/card-texts.js'
import type { ExportFormat } from '../../../../src/domain/content/export-formats.js'
import type { Incoming, IncomingCard } from '../../../../src/domain/content/upload/incoming.js'
import { writeExport } from '../../../../src/services/content/exports/write-export.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import { drawTexts } from '../../../support/card-texts.js'
import { createMigratedDatabase } from '../../../support/database.js'
import { createCard, createDeck, createProgress, createUser } from '../../../support/factories.js'
import fc from '../../../support/property.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())
const { db } = database
const scratch = await mkdtemp(path.join(tmpdir(), 'svc-training-test-'))
t.teardown(() => rm(scratch, { recursive: true }))

async function exportAndRead(format: ExportFormat, userId?: number): Promise<Incoming> {
  const folder = await mkdtemp(path.join(scratch, 'export-'))
  const file = await writeExport(db, { format, userId, timeZone: 'Europe/Berlin', now: new Date() }, folder)
  const fileName = { apkg: 'x.apkg', csv: 'x.csv', markdown: 'x.zip' }[format]
  const workFolder = await mkdtemp(path.join(scratch, 'read-'))
  return readFile(file, { fileName, defaultDeck: 'x', workFolder, levels: [] })
}

/** Texts that tables and Anki packages contain */
const TABLE_TEXTS: readonly CardText[] = ['question', 'answer', 'level']

const pick = (card: Partial<CardTexts>, names: readonly CardText[]) =>
  Object.fromEntries(names.map((name) => [name, card[name]])) as Partial<Record<CardText, string>>
const cardsOf = ({ decks }: Incoming, names = TABLE_TEXTS) =>
  decks.flatMap(({ name, cards }) => cards.map((card) => ({ deck: name, ...pick(card, names) })))

async function storeCard(deckId: number, key: string, question: string, note?: { guid: string; ord: number }) {
  const card = await createCard(db, { deck_id: deckId, question, answer: `Antwort auf ${question}` })
  await db
    .insertInto('imported_cards')
    .values({ card_id: card.id, deck_id: deckId, key, ...note })
    .execute()
  return card
}

t.afterEach(async () => {
  await db.deleteFrom('decks').execute()
  await db.deleteFrom('media').execute()
})

const lines = fc.constantFrom(
  ...['Text', '**fett** und _kursiv_', '- a\n- b', '1. eins\n2. zwei', '```sh\nls -l\n```', '`code`', '> Zitat'],
  ...[
    '=1+1',
    '- x',
    '; "x"',
    "'=x",
    '[Link](https://example.org/)',
    '| a | b |\n| - | - |\n| 1 | 2 |',
    '1 \\< 2',
    'ä€😀',
  ],
)
const text = fc.array(lines, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('\n\n'))
const level = fc.constantFrom('grundlagen', 'sehr schwer', 'a;b', '=x')

t.test('cards are read back unchanged from each format', async (t) => {
  const drawn = fc.sample(fc.record(drawTexts(text, level)), { numRuns: 60, seed: 42 })
  const questions = new Set<string>()
  for (const [index, name] of ['Git', 'Linux::Netz', 'Ein „Deck“; mit = und Ä'].entries()) {
    const deck = await createDeck(db, { slug: `deck-${index}`, name, sort_order: index })
    for (const [place, card] of drawn.entries()) {
      if (place % 3 !== index || questions.has(card.question)) continue
      questions.add(card.question)
      await createCard(db, { deck_id: deck.id, ...card, sort_order: place })
    }
  }
  const cards = await db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select(['name as deck', ...CARD_TEXTS])
    .orderBy('decks.sort_order')
    .orderBy('cards.sort_order')
    .execute()
  for (const [format, names] of [['csv', TABLE_TEXTS] as const, ['markdown', CARD_TEXTS] as const]) {
    const incoming = await exportAndRead(format)
    const stored = cards.map(({ deck, ...card }) => ({ deck, ...pick(card, names) }))
    t.strictSame(cardsOf(incoming, names), stored, format)
    t.equal(incoming.warningsTotal, 0)
  }

  // Anki stores HTML instead of Markdown, so the source may change once; further round trips change nothing.
  const first = await exportAndRead('apkg')
  t.strictSame(new Set(first.decks.map(({ name }) => name)), new Set(cards.map(({ deck }) => deck)))
  t.equal(cardsOf(first).length, cards.length)
  await db.deleteFrom('decks').execute()
  for (const { name, cards } of first.decks) await storeIncoming(name, cards)
  const second = await exportAndRead('apkg')
  t.strictSame(second.decks, first.decks, 'texts, levels, decks and identities')
})

async function storeIncoming(name: string, cards: readonly IncomingCard[]): Promise<void> {
  const deck = await createDeck(db, { name })
  for (const [sort_order, { identity, question, answer, level }] of cards.entries()) {
    const card = await createCard(db, { deck_id: deck.id, question, answer, level, sort_order })
    const note = identity.by === 'note' ? { guid: identity.guid, ord: identity.ord } : {}
    await db
      .insertInto('imported_cards')
      .values({ card_id: card.id, deck_id: deck.id, key: `k-${sort_order}`, ...note })
      .execute()
  }
}

t.test('identities survive renamed and moved content in each round trip', async (t) => {
  const [git, linux] = [
    await createDeck(db, { slug: 'git', name: 'Git' }),
    await createDeck(db, { slug: 'linux', name: 'Linux' }),
  ]
  const own = await storeCard(git.id, 'stash', 'Eigene')
  await storeCard(git.id, 'anki-1', 'Vorwärts', { guid: 'Ab~1{2', ord: 0 })
  await storeCard(git.id, 'anki-2', 'Rückwärts', { guid: 'Ab~1{2', ord: 1 })
  await storeCard(linux.id, 'stash', 'Gleich genannt')
  const identities = async (format: ExportFormat) => {
    const { decks } = await exportAndRead(format)
    const all = decks.flatMap(({ cards }) => cards.map(({ question, identity }) => [question, identity] as const))
    return Object.fromEntries(all)
  }
  const before = await identities('apkg')
  t.match(before, {
    Eigene: { by: 'note', guid: /^[\x21-\x7e]{8,12}$/, ord: 0 },
    Vorwärts: { by: 'note', guid: 'Ab~1{2', ord: 0 },
    Rückwärts: { by: 'note', guid: 'Ab~1{2', ord: 1 },
  })
  await db.updateTable('decks').set({ slug: 'neu', name: 'Neu' }).where('id', '=', git.id).execute()
  await db.updateTable('imported_cards').set({ key: 'anders' }).where('card_id', '=', own.id).execute()
  await db.updateTable('cards').set({ deck_id: linux.id }).where('id', '=', own.id).execute()
  t.strictSame(await identities('apkg'), before)
  t.match(await identities('csv'), {
    Eigene: { by: 'id', id: 'anders' },
    Vorwärts: { id: 'anki-1' },
    'Gleich genannt': { by: 'id', id: 'stash' },
  })
  t.match(await identities('markdown'), { Eigene: { id: 'anders' }, Rückwärts: { id: 'anki-2' } })
})

t.test('pictures are read back with their texts', async (t) => {
  const bytes = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  const { rows } = await sql<{ sha: string }>`
    insert into media (sha256, extension, size_bytes, bytes)
    values (sha256(${bytes}::bytea), 'gif', ${bytes.length}::integer, ${bytes})
    returning encode(sha256, 'hex') as sha`.execute(db)
  const sha = rows[0]?.sha as string
  const deck = await createDeck(db, { slug: 'git', name: 'Git' })
  const question = `Was zeigt das Bild?\n\n![Ein Bild](media/${sha}.gif)`
  await createCard(db, { deck_id: deck.id, question, answer: 'Nichts.' })
  for (const format of ['apkg', 'markdown'] as const) {
    const incoming = await exportAndRead(format)
    t.match(incoming.pictures, [{ sha, extension: 'gif', size: bytes.length }], format)
    t.match(cardsOf(incoming), [{ question, answer: 'Nichts.' }])
  }
})

t.test('never writes an invalid file', async (t) => {
  const file = path.join(scratch, 'file')
  await writeFile(file, '')
  await t.rejects(writeExport(db, { format: 'apkg', timeZone: 'UTC', now: new Date() }, file))
})

t.test('an Anki package keeps the order of moved cards, and empty levels', async (t) => {
  const user = await createUser(db)
  const deck = await createDeck(db)
  const cards = ['Zuletzt', 'Zuerst', 'Gelernt'].map((question, at) => ({ question, sort_order: [3, 1, 2][at] ?? 0 }))
  for (const card of cards) await createCard(db, { deck_id: deck.id, ...card, level: '' })
  const learned = await db.selectFrom('cards').select('id').where('question', '=', 'Gelernt').executeTakeFirstOrThrow()
  await createProgress(db, { user_id: user.id, card_id: learned.id, last_rating: 'easy', next_review: '2026-12-01' })
  for (const userId of [undefined, user.id]) {
    const incoming = await exportAndRead('apkg', userId)
    t.strictSame(
      cardsOf(incoming).map(({ question, level }) => [question, level]),
      [
        ['Zuerst', ''],
        ['Gelernt', ''],
        ['Zuletzt', ''],
      ],
    )
  }
})
