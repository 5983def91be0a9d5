import t from 'tap'
import { EMPTY_TEXTS } from '../../../../src/domain/content/card-texts.js'
import { stateOf } from '../../../../src/domain/content/plan/compare.js'
import { digestCard, digestText } from '../../../../src/domain/content/plan/digest.js'
import { planImport, refusalOf } from '../../../../src/domain/content/plan/folder.js'
import type { Changes, FolderPlan, StoredContent, Visibility } from '../../../../src/domain/content/plan/types.js'
import type { CardSource, Content, DeckSource, SheetSource } from '../../../../src/domain/content/types.js'
import { digestColumns } from '../../../support/card-texts.js'
import fc, { runs } from '../../../support/property.js'

type Cards = Record<string, { question?: string; aliases?: string[]; draft?: boolean }>

function deckOf(slug: string, cards: Cards, aliases: string[] = []): DeckSource {
  const sources = Object.entries(cards).map(([key, { question = key, aliases = [], draft = false }], index) => ({
    ...EMPTY_TEXTS,
    key,
    aliases,
    question,
    answer: 'A',
    level: 'l',
    draft,
    line: 10 * (index + 1),
  }))
  const head = {
    name: slug,
    description: '',
    sort_order: 0,
    tests_only: false,
    options_off: false,
    lang: 'de',
    desired_retention: null,
  }
  return { file: `decks/${slug}.md`, slug, aliases, ...head, cards: sources }
}

function plan(decks: DeckSource[], stored: StoredContent, sheets: SheetSource[] = []): FolderPlan {
  const content: Content = { decks, sheets }
  const cards = new Map(decks.flatMap((deck) => deck.cards.map((card) => [card, digestCard(card)])))
  const groups = stored.decks.map(({ id, slug, lang, is_live }) => ({
    id,
    slug,
    lang,
    isLive: is_live,
    tests_only: false,
    translation_of: null,
    source_id: null,
    source_key: null,
  }))
  return planImport(content, { cards, sheets: new Map() }, stored, { decks: groups, sheets: [] })
}

const EMPTY: StoredContent = { decks: [], cards: [], sheets: [] }

function write(stored: StoredContent, planned: FolderPlan): StoredContent {
  const decks = new Map(stored.decks.map((row) => [row.id, { ...row }]))
  const cards = new Map(stored.cards.map((row) => [row.id, { ...row }]))
  const nextId = (rows: Map<number, unknown>) => Math.max(0, ...rows.keys()) + 1
  const ids = new Map(planned.deckIds)
  const rowOf = ({ file, aliases, cards, ...row }: DeckSource) => row
  for (const deck of planned.newDecks) {
    const id = nextId(decks)
    decks.set(id, { id, ...rowOf(deck), is_live: true, is_imported: true, file: deck.file })
    ids.set(deck, id)
  }
  for (const { id, deck } of planned.changedDecks) {
    decks.set(id, { id, ...rowOf(deck), is_live: true, is_imported: true, file: decks.get(id)?.file ?? null })
  }
  for (const { id, file } of planned.describedDecks) Object.assign(decks.get(id) ?? {}, { file })
  for (const id of planned.archivedDecks) Object.assign(decks.get(id) ?? {}, { is_live: false })
  for (const id of planned.archivedCards) Object.assign(cards.get(id) ?? {}, { state: 'archived' })
  for (const { id, deck, key } of planned.renamedCards) {
    Object.assign(cards.get(id) ?? {}, { identity_deck_id: ids.get(deck), key })
  }
  const textOf = (card: CardSource) => ({ ...digestColumns(card), state: stateOf(card) })
  for (const { id, deck, card, sort_order } of planned.changedCards) {
    Object.assign(cards.get(id) ?? {}, { deck_id: ids.get(deck), sort_order, ...textOf(card) })
  }
  for (const { deck, card, sort_order } of planned.newCards) {
    const deck_id = ids.get(deck) as number
    const id = nextId(cards)
    cards.set(id, { id, identity_deck_id: deck_id, deck_id, key: card.key, sort_order, ...textOf(card) })
  }
  for (const { from } of planned.progressTransfers) cards.delete(from)
  return { decks: [...decks.values()], cards: [...cards.values()], sheets: [] }
}

const importAll = (...steps: DeckSource[][]) =>
  steps.reduce((stored, decks) => write(stored, plan(decks, stored)), EMPTY)
const messagesOf = ({ warnings }: FolderPlan) =>
  warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`)
const changes = (counts: Partial<Changes>): Changes => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  archived: 0,
  ...counts,
})

t.test('an alias given in time renames the row; a late one transfers progress', async (t) => {
  const stored = importAll([deckOf('git', { alt: {}, rest: {} })])
  const inTime = plan([deckOf('git', { neu: { question: 'alt', aliases: ['alt'] }, rest: {} })], stored)
  t.match(inTime.renamedCards, [{ id: 1, key: 'neu' }])
  t.strictSame([inTime.cards, inTime.progressTransfers], [changes({ updated: 1, unchanged: 1 }), []])

  const without = [deckOf('git', { neu: { question: 'alt' }, rest: {} })]
  const lost = plan(without, stored)
  t.strictSame(messagesOf(lost), [
    'decks/git.md:10: Die Karte „neu“ ist neu, die Karte „alt“ mit derselben Frage wird archiviert: der Lernfortschritt beginnt von vorn; mit aliases: [alt] bleibt er erhalten',
  ])
  const late = [deckOf('git', { neu: { question: 'alt', aliases: ['alt'] }, rest: {} })]
  const passed = plan(late, write(stored, lost))
  t.strictSame(passed.progressTransfers, [{ from: 1, to: 3 }])
  t.strictSame([passed.cards, passed.warnings], [changes({ updated: 1, unchanged: 1 }), []])
  const again = plan(late, write(write(stored, lost), passed))
  t.strictSame([again.progressTransfers, again.cards], [[], changes({ unchanged: 2 })], 'once')
})

t.test('an alias of a deck keeps its row and cards; a late one transfers progress', async (t) => {
  const cards = { eins: {}, zwei: {} }
  const stored = importAll([deckOf('alt', cards)])
  const inTime = plan([deckOf('neu', cards, ['alt'])], stored)
  t.strictSame([inTime.decks, inTime.cards], [changes({ updated: 1 }), changes({ unchanged: 2 })])
  t.match(inTime.changedDecks, [{ id: 1 }])

  const lost = plan([deckOf('neu', cards)], stored)
  t.strictSame([lost.decks, lost.cards], [changes({ created: 1, archived: 1 }), changes({ created: 2, archived: 2 })])
  t.strictSame(messagesOf(lost), [
    'decks/neu.md:1: Das Deck „neu“ ist neu, das Deck „alt“ mit gleichen Karten (2) wird archiviert: der Lernfortschritt beginnt von vorn; mit aliases: [alt] im Front Matter bleibt er erhalten',
  ])
  const late = plan([deckOf('neu', { ...cards, drei: { aliases: ['vier'] } }, ['alt', 'nie'])], write(stored, lost))
  t.strictSame(late.progressTransfers, [
    { from: 1, to: 3 },
    { from: 2, to: 4 },
  ])
  t.strictSame(late.cards, changes({ created: 1, updated: 2 }))

  const both = importAll([deckOf('alt', cards), deckOf('neu', { eins: {} })])
  const moved = plan([deckOf('neu', { eins: {}, zwei: {} }, ['alt'])], both)
  t.match(moved.renamedCards, [{ id: 2, key: 'zwei' }], 'a card that only the old deck has moves to the new one')
  t.strictSame(moved.progressTransfers, [{ from: 1, to: 3 }])
})

t.test('warns of a card that reappears with the same id or question elsewhere', async (t) => {
  const stored = importAll([deckOf('a', { eins: {}, zwei: {} }), deckOf('b', { drei: {} })])
  const moved = plan([deckOf('a', { zwei: {} }), deckOf('b', { drei: {}, eins: { question: 'anders' } })], stored)
  t.strictSame(messagesOf(moved), [
    'decks/b.md:20: Die Karte „eins“ ist neu, die Karte „eins“ aus dem Deck „a“ mit derselben id wird archiviert: der Lernfortschritt beginnt von vorn',
  ])
  t.strictSame(plan([deckOf('a', { zwei: {} }), deckOf('b', { drei: {}, fünf: {} })], stored).warnings, [])
})

t.test('refuses to archive more than half of ten or more cards unless forced', async (t) => {
  const cards = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k-${index}`, {}]))
  const after = (before: number, left: number) =>
    refusalOf(plan([deckOf('a', cards(left))], importAll([deckOf('a', cards(before))])))?.code === 'most_cards_archived'
  t.strictSame([after(9, 0), after(10, 5), after(10, 4), after(11, 5), after(11, 6)], [false, false, true, true, false])
  t.equal(refusalOf(plan([], importAll([deckOf('a', cards(20))], []))), undefined, 'archived rows do not count')
})

t.test('refuses to archive more than half of ten or more sheets unless forced', async (t) => {
  const archivesMost = (live: number, kept: number, is_imported = true, state: Visibility = 'live') => {
    const rows = Array.from({ length: live }, (_, index) => ({ id: index + 1, slug: `blatt-${index}`, digest: '' }))
    const stored = { ...EMPTY, sheets: rows.map((row) => ({ ...row, is_imported, state })) }
    const sheets = rows
      .slice(0, kept)
      .map(({ slug }) => ({ slug, title: '', category: '', content_md: '', draft: false }))
    return refusalOf(plan([], stored, sheets))?.code === 'most_sheets_archived'
  }
  t.strictSame(
    [archivesMost(9, 0), archivesMost(10, 5), archivesMost(10, 4), archivesMost(11, 6), archivesMost(20, 0)],
    [false, false, true, false, true],
  )
  t.equal(archivesMost(20, 0, false), false, 'those created by scripts stay')
  t.equal(archivesMost(20, 0, true, 'archived'), false, 'archived rows do not count')
})

t.test('records the file of a deck when it is new, moved or unknown', async (t) => {
  const [a, b] = [deckOf('a', { eins: {} }), deckOf('b', { eins: {} })]
  const stored = importAll([a, b])
  t.strictSame(
    stored.decks.map(({ file }) => file),
    ['decks/a.md', 'decks/b.md'],
  )
  t.strictSame(plan([a, b], stored).describedDecks, [])
  const moved = plan([a, { ...b, file: 'decks/neu.md' }], stored)
  t.strictSame(moved.describedDecks, [{ id: 2, file: 'decks/neu.md', tests_only: false }])
  t.match(moved.decks, { updated: 0, unchanged: 2 })
  const unknown = { ...stored, decks: stored.decks.map((row) => ({ ...row, file: null })) }
  t.equal(plan([a, b], unknown).describedDecks.length, 2)
})

t.test('property: the store equals the files, and a second import changes nothing', async (t) => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const card = fc.record({
    key,
    aliases: fc.uniqueArray(key, { maxLength: 2 }),
    question: fc.constantFrom('x', 'y', 'z'),
    draft: fc.boolean(),
  })
  const deck = fc.record({
    slug: key,
    aliases: fc.uniqueArray(key, { maxLength: 2 }),
    cards: fc.uniqueArray(card, { selector: (one) => one.key, maxLength: 5 }),
  })
  /** Drops aliases that the parser refuses: current ids and slugs, and aliases of an earlier item. */
  const sound = <T extends { aliases: string[] }>(items: T[], nameOf: (item: T) => string): T[] => {
    const taken = new Set(items.map(nameOf))
    return items.map((item) => ({
      ...item,
      aliases: item.aliases.filter((alias) => !taken.has(alias) && taken.add(alias)),
    }))
  }
  const files = fc.uniqueArray(deck, { selector: ({ slug }) => slug, maxLength: 4 }).map((decks) =>
    sound(decks, ({ slug }) => slug).map(({ slug, aliases, cards }) => {
      const entries = sound(cards, (one) => one.key).map(({ key, ...rest }) => [key, rest] as const)
      return deckOf(slug, Object.fromEntries(entries), aliases)
    }),
  )
  const describe = (stored: StoredContent) => {
    const slugs = new Map(stored.decks.filter((row) => row.is_live).map(({ id, slug }) => [id, slug]))
    return stored.cards
      .filter((row) => row.state !== 'archived')
      .map(
        (row) =>
          `${slugs.get(row.identity_deck_id)} ${slugs.get(row.deck_id)} ${row.key} ${row.question_digest} ${row.state}`,
      )
      .sort()
  }
  fc.assert(
    fc.property(fc.array(files, { minLength: 1, maxLength: 6 }), (steps) => {
      let stored = EMPTY
      for (const decks of steps) {
        const planned = plan(decks, stored)
        const live = stored.cards.filter((row) => row.state !== 'archived').length
        stored = write(stored, planned)
        const expected = decks.flatMap(({ slug, cards }) =>
          cards.map((one) => `${slug} ${slug} ${one.key} ${digestText(one.question)} ${stateOf(one)}`),
        )
        const identities = stored.cards.map((row) => `${row.identity_deck_id} ${row.key}`)
        const { created, updated, unchanged, archived } = planned.cards
        const again = plan(decks, stored)
        const isRight =
          JSON.stringify(describe(stored)) === JSON.stringify(expected.sort()) &&
          new Set(identities).size === identities.length &&
          created + updated + unchanged === expected.length &&
          archived <= live &&
          JSON.stringify(again.cards) === JSON.stringify(changes({ unchanged: expected.length })) &&
          JSON.stringify(again.decks) === JSON.stringify(changes({ unchanged: decks.length })) &&
          again.progressTransfers.length === 0
        if (!isRight) return false
      }
      return true
    }),
    { numRuns: runs(300) },
  )
  t.pass('for all runs')
})
