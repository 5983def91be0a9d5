import t from 'tap'
import { EMPTY_TEXTS } from '../../../../src/domain/content/card-texts.js'
import { FreeSlugs, slugFrom } from '../../../../src/domain/content/format/slug.js'
import { stateOf } from '../../../../src/domain/content/plan/compare.js'
import { digestCard } from '../../../../src/domain/content/plan/digest.js'
import { planImport } from '../../../../src/domain/content/plan/folder.js'
import type {
  Digests,
  FolderPlan,
  OwnedCard,
  OwnedDeck,
  UploadCard,
  UploadDeck,
  UploadPlan,
} from '../../../../src/domain/content/plan/types.js'
import { planUpload } from '../../../../src/domain/content/plan/upload.js'
import type { DeckSource } from '../../../../src/domain/content/types.js'
import {
  type Incoming,
  type IncomingCard,
  plainDeck,
  type SourceKind,
} from '../../../../src/domain/content/upload/incoming.js'
import { keyOf, keyUpload } from '../../../../src/domain/content/upload/key.js'
import { anyCharacter } from '../../../support/arbitraries.js'
import { digestColumns } from '../../../support/card-texts.js'
import fc, { runs } from '../../../support/property.js'

interface Store {
  decks: OwnedDeck[]
  cards: OwnedCard[]
  /** Sources; the id is the index, and `isLive` is false if the source is archived */
  sources: { kind: SourceKind; isLive: boolean }[]
}

const digestsOf = (decks: readonly DeckSource[]): Digests => ({
  cards: new Map(decks.flatMap(({ cards }) => cards.map((card) => [card, digestCard(card)]))),
  sheets: new Map(),
})

function write(store: Store, plan: UploadPlan | FolderPlan, sourceId: number | null): Store {
  const decks = new Map(store.decks.map((row) => [row.id, { ...row }]))
  const cards = new Map(store.cards.map((row) => [row.id, { ...row }]))
  const ids = new Map(plan.deckIds)
  const owner = sourceId === null ? null : `Quelle ${sourceId}`
  const owned = (deck: DeckSource) => ({
    source_id: sourceId,
    source_key: sourceId === null ? null : (deck as UploadDeck).source_key,
    owner,
    owner_is_live: true,
    is_imported: sourceId === null,
  })
  const shown = ({ slug, name, description, sort_order, ...deck }: DeckSource) => ({
    slug,
    name,
    description,
    sort_order,
    tests_only: deck.tests_only,
    options_off: deck.options_off,
    lang: deck.lang,
    desired_retention: deck.desired_retention,
  })
  for (const deck of plan.newDecks) {
    const id = decks.size + 1
    decks.set(id, { id, ...shown(deck), ...owned(deck), is_live: true, file: deck.file, card_count: 0 })
    ids.set(deck, id)
  }
  for (const { id, deck } of plan.changedDecks) Object.assign(decks.get(id) ?? {}, shown(deck), { is_live: true })
  for (const { id } of plan.describedDecks) Object.assign(decks.get(id) ?? {}, { is_imported: true })
  for (const id of plan.archivedCards) Object.assign(cards.get(id) ?? {}, { state: 'archived' })
  for (const id of plan.archivedDecks) Object.assign(decks.get(id) ?? {}, { is_live: false })
  for (const { id, deck, key } of plan.renamedCards)
    Object.assign(cards.get(id) ?? {}, { identity_deck_id: ids.get(deck), key })
  for (const { id, deck, card, sort_order, keeps, staysEdited, isDraft } of plan.changedCards) {
    const row = cards.get(id) as OwnedCard
    const kept = Object.fromEntries(keeps.map((part) => [`${part}_digest`, row[`${part}_digest`]]))
    const state = isDraft ? 'draft' : 'live'
    const is_edited = row.is_edited && staysEdited
    Object.assign(row, { deck_id: ids.get(deck), sort_order, state, is_edited, ...digestColumns(card), ...kept })
  }
  for (const { deck, card, sort_order } of plan.newCards) {
    const deck_id = ids.get(deck) as number
    const { guid = null, ord = null } = card as Partial<UploadCard>
    const id = cards.size + 1
    const place = { identity_deck_id: deck_id, deck_id, key: card.key, sort_order }
    cards.set(id, { id, ...place, state: stateOf(card), is_edited: false, ...digestColumns(card), guid, ord })
  }
  return counted({ ...store, decks: [...decks.values()], cards: [...cards.values()] })
}

/** Updates the card counts of the decks, as the database's triggers do. */
function counted(store: Store): Store {
  const countOf = (deck: OwnedDeck) =>
    store.cards.filter((card) => card.state === 'live' && card.deck_id === deck.id).length
  return { ...store, decks: store.decks.map((deck) => ({ ...deck, card_count: countOf(deck) })) }
}

const NO_GROUPS = { decks: [], sheets: [] }

function planOf(
  store: Store,
  incoming: Incoming,
  sourceId: number | undefined,
  mirror = false,
  keep: 'ours' | 'theirs' = 'ours',
): UploadPlan {
  const upload = keyUpload(incoming)
  return planUpload(upload, digestsOf(upload.decks), { sourceId, ...store, sheets: [] }, { mirror, keep }, NO_GROUPS)
}

function importFolder(store: Store, all: DeckSource[]): Store {
  const taken = new Set(store.decks.flatMap(({ slug, source_id }) => (source_id === null ? [] : [slug])))
  const files = all.filter(({ slug }) => !taken.has(slug))
  const foreign = new Set(store.decks.flatMap(({ id, source_id }) => (source_id === null ? [] : [id])))
  const cards = store.cards.filter((card) => !foreign.has(card.identity_deck_id))
  const stored = { decks: store.decks, cards, sheets: [] }
  const plan = planImport({ decks: files, sheets: [] }, digestsOf(files), stored, NO_GROUPS)
  return write(store, plan, null)
}

const EMPTY: Store = { decks: [], cards: [], sources: [] }

type Cell = { deck: string; identity: IncomingCard['identity']; question: string }

function incomingOf(kind: SourceKind, cells: readonly Cell[]): Incoming {
  const names = [...new Set(cells.map(({ deck }) => deck))]
  const decks = names.map((name) => ({
    ...plainDeck(name, []),
    slug: kind === 'archive' ? name : null,
    cards: cells
      .filter(({ deck }) => deck === name)
      .map(({ identity, question }) => ({ identity, question, answer: 'A', level: 'l', file: '', line: 0 })),
  }))
  return { kind, decks, sheets: [], pictures: [], warnings: [], warningsTotal: 0 }
}

const few = fc.nat(4)
const identityOf: Record<SourceKind, fc.Arbitrary<IncomingCard['identity']>> = {
  anki: fc.record({ by: fc.constant('note' as const), guid: few.map(String), ord: fc.nat(1) }),
  table: fc.oneof(
    fc.record({ by: fc.constant('id' as const), id: few.map((id) => `k${id}`) }),
    // Key that the table export writes for a card that is identified by its question
    fc.record({ by: fc.constant('id' as const), id: few.map((text) => keyOf({ by: 'question' }, `Frage ${text}`)) }),
    fc.constant({ by: 'question' as const }),
  ),
  archive: fc.record({ by: fc.constant('id' as const), id: few.map((id) => `k${id}`) }),
}
const deckName = fc.constantFrom('A', 'A::B', 'all', '日本', '!')
const uploadOf = (kind: SourceKind) =>
  fc
    .array(fc.record({ deck: deckName, identity: identityOf[kind], question: few.map((text) => `Frage ${text}`) }), {
      maxLength: 8,
    })
    .map((cells) => incomingOf(kind, cells))
const file = fc
  .uniqueArray(fc.record({ slug: fc.constantFrom('a', 'a-b', 'x'), keys: fc.uniqueArray(few, { maxLength: 3 }) }), {
    selector: ({ slug }) => slug,
    maxLength: 3,
  })
  .map((files) =>
    files.map(({ slug, keys }) => ({
      ...plainDeck(slug, []),
      tests_only: false,
      options_off: false,
      lang: 'de',
      desired_retention: null,
      file: `decks/${slug}.md`,
      slug,
      aliases: [],
      sort_order: 0,
      cards: keys.map((key) => ({
        ...EMPTY_TEXTS,
        key: `k${key}`,
        aliases: [],
        question: `${key}`,
        answer: 'A',
        level: 'l',
        line: 1,
        draft: false,
      })),
    })),
  )
const step = fc.oneof(
  ...(['anki', 'table', 'archive'] as const).map((kind) =>
    fc.record({
      type: fc.constant('upload' as const),
      kind: fc.constant(kind),
      incoming: uploadOf(kind),
      to: few,
      mirror: fc.boolean(),
    }),
  ),
  fc.record({ type: fc.constant('folder' as const), files: file }),
  fc.record({ type: fc.constantFrom('archive' as const, 'release' as const), to: few }),
  fc.record({ type: fc.constant('edit' as const), to: few, isDraft: fc.boolean() }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const ownedBy = (store: Store, isTheirs: (deck: OwnedDeck) => boolean) => {
  const decks = store.decks.filter(isTheirs)
  const ids = new Set(decks.map(({ id }) => id))
  return { decks, cards: store.cards.filter((card) => ids.has(card.identity_deck_id)) }
}

const isShownIn = ({ decks }: Store, { deck_id }: OwnedCard) =>
  decks.some(({ id, is_live }) => id === deck_id && is_live)

function take(t: { fail(message: string): void }, store: Store, one: Step): Store {
  if (one.type === 'folder') {
    const after = importFolder(store, one.files)
    const others = ({ source_id, is_imported }: OwnedDeck) => source_id !== null || !is_imported
    const slugs = new Set<string>(one.files.map(({ slug }) => slug))
    const isLeft = (deck: OwnedDeck) => others(deck) && (deck.source_id !== null || !slugs.has(deck.slug))
    if (JSON.stringify(ownedBy(after, isLeft)) !== JSON.stringify(ownedBy(store, isLeft)))
      t.fail('the folder changed content of another owner')
    if (JSON.stringify(importFolder(after, one.files)) !== JSON.stringify(after))
      t.fail('a second import of the folder changes something')
    return after
  }
  if (one.type === 'edit') {
    const edit = (card: OwnedCard) => {
      const state = card.state === 'archived' ? card.state : stateOf({ draft: one.isDraft })
      return { ...card, state, question_digest: `hier ${one.to}`, is_edited: true }
    }
    return counted({ ...store, cards: store.cards.map((card, index) => (index % 5 === one.to ? edit(card) : card)) })
  }
  const ofKind = store.sources.map((source, id) => ({ ...source, id }))
  if (one.type !== 'upload') {
    const source = ofKind[one.to]
    if (source === undefined) return store
    const isReleased = one.type === 'release'
    const ids = new Set(store.decks.filter(({ source_id }) => source_id === source.id).map(({ id }) => id))
    return {
      sources: store.sources.with(one.to, { kind: source.kind, isLive: false }),
      decks: store.decks.map((deck) => {
        if (!ids.has(deck.id)) return deck
        if (isReleased) return { ...deck, source_id: null, source_key: null, owner: null }
        return { ...deck, is_live: false, owner_is_live: false, card_count: 0 }
      }),
      cards: isReleased
        ? store.cards
        : store.cards.map((card) => (ids.has(card.identity_deck_id) ? { ...card, state: 'archived' as const } : card)),
    }
  }
  const target = ofKind.filter(({ kind }) => kind === one.kind)[one.to]
  const id = target?.id ?? store.sources.length
  const plan = planOf(store, one.incoming, target?.id, one.mirror)
  const sources = target === undefined ? [...store.sources, { kind: one.kind, isLive: true }] : store.sources
  const woken = store.decks.map((deck) => (deck.source_id === id ? { ...deck, owner_is_live: true } : deck))
  const after = write({ ...store, decks: woken, sources }, plan, id)

  const edited = ({ cards }: Store) => cards.filter((card) => card.is_edited && card.state !== 'archived')
  const kept = new Map(after.cards.map((card) => [card.id, card]))
  for (const card of edited(store)) {
    const { question_digest, deck_id, state } = kept.get(card.id) ?? card
    const isSame = question_digest === card.question_digest && deck_id === card.deck_id && state === card.state
    const isArchived = one.mirror && state === 'archived'
    if (!isSame && !isArchived) t.fail('an upload changed an edited card')
    if (isSame && isShownIn(store, card) && !isShownIn(after, card)) t.fail('an upload hid an edited card')
  }
  const theirs = planOf({ ...store, decks: woken, sources }, one.incoming, target?.id, one.mirror, 'theirs')
  if (
    edited(write({ ...store, decks: woken, sources }, theirs, id)).some(({ id }) =>
      theirs.changedCards.some((card) => card.id === id),
    )
  )
    t.fail('a replaced card is still marked as edited')

  // Content of the folder and of other sources stays unchanged, unless the other source is archived.
  const isForeign = (deck: OwnedDeck) => deck.source_id !== id && (deck.source_id === null || deck.owner_is_live)
  if (JSON.stringify(ownedBy(after, isForeign)) !== JSON.stringify(ownedBy(store, isForeign)))
    t.fail('an upload changed content of another owner')
  const before = new Map(
    store.cards.filter(({ guid }) => guid !== null).map((card) => [`${card.ord} ${card.guid}`, card.id]),
  )
  for (const card of after.cards) {
    const known = before.get(`${card.ord} ${card.guid}`)
    if (card.guid !== null && known !== undefined && known !== card.id)
      t.fail('a note lost its card and thereby all progress')
  }
  const again = planOf(after, one.incoming, id, one.mirror)
  const writes = [
    again.newDecks,
    again.changedDecks,
    again.newCards,
    again.changedCards,
    again.renamedCards,
    again.archivedCards,
    again.archivedDecks,
  ]
  if (writes.some((list) => list.length > 0)) t.fail(`the same again writes something: ${JSON.stringify(writes)}`)
  if (again.cards.created + again.cards.updated + again.cards.archived > 0)
    t.fail('a repeated upload is not counted as unchanged')
  return after
}

t.test(
  'property: each owner keeps its content and nothing is lost by any sequence of uploads and imports',
  async (t) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const faults: string[] = []
        const told = { fail: (message: string) => void faults.push(message) }
        let store = EMPTY
        for (const one of steps) {
          const before = store
          store = take(told, store, one)
          if (before.cards.some(({ id }) => !store.cards.some((card) => card.id === id))) faults.push('a card is gone')
          const unique = (keys: (string | null)[]) => new Set(keys).size === keys.length
          if (!unique(store.decks.map(({ slug }) => slug))) faults.push('two decks of one slug')
          if (!unique(store.cards.map(({ identity_deck_id, key }) => `${identity_deck_id} ${key}`)))
            faults.push('two cards of one key')
          if (!unique(store.cards.flatMap(({ guid, ord }) => (guid === null ? [] : [`${ord} ${guid}`]))))
            faults.push('two cards of one note')
          if (store.decks.some(({ slug }) => ['', '.', '..', 'all', 'export-anki'].includes(slug)))
            faults.push('an unreachable slug')
          if (faults.length > 0) throw new Error(faults.join('; '))
        }
      }),
      { numRuns: runs(300) },
    )
    t.pass()
  },
)

t.test('a second upload counts each card once: created, updated, moved, unchanged, archived', async (t) => {
  const note = (guid: string, deck: string, question = guid): Cell => ({
    deck,
    identity: { by: 'note', guid, ord: 0 },
    question,
  })
  const first = planOf(
    EMPTY,
    incomingOf(
      'anki',
      ['a', 'b', 'c', 'd'].map((guid) => note(guid, 'A')),
    ),
    undefined,
  )
  t.match(first.perDeck, [{ slug: 'a', name: 'A', created: 4 }])
  const store = write({ ...EMPTY, sources: [{ kind: 'anki', isLive: true }] }, first, 0)
  const cells = [note('n', 'A'), note('a', 'A'), note('b', 'A', 'anders'), note('c', 'B'), note('a', 'B')]
  const second = planOf(store, incomingOf('anki', cells), 0, true)
  t.strictSame(second.perDeck, [
    { created: 1, updated: 1, moved: 0, unchanged: 1, archived: 1, slug: 'a', name: 'A' },
    { created: 0, updated: 0, moved: 1, unchanged: 0, archived: 0, slug: 'b', name: 'B' },
  ])
  t.strictSame(second.cards, { created: 1, updated: 2, unchanged: 1, archived: 1 })
  t.strictSame(
    [second.warningsTotal, second.warnings],
    [1, [{ file: 'B: a', line: 0, kind: 'duplicate', message: 'Dieselbe Karte steht schon, hier bleibt sie weg' }]],
  )
  t.strictSame(
    second.examples.map(({ id, card }) => [id, card.question]),
    [
      [2, 'anders'],
      [3, 'c'],
      [null, 'n'],
    ],
  )
})

t.test('an id equal to the key of a question takes no card from that question', async (t) => {
  const question = 'Was ist DNS?'
  const named = (deck: string): Cell => ({
    deck,
    identity: { by: 'id', id: keyOf({ by: 'question' }, question) },
    question,
  })
  const asked = (deck: string): Cell => ({ deck, identity: { by: 'question' }, question })
  for (const duplicates of [
    [named('A'), asked('A')],
    [asked('A'), named('A')],
  ]) {
    const plan = planOf(EMPTY, incomingOf('table', duplicates), undefined)
    t.strictSame([plan.cards.created, plan.newCards.length, plan.warningsTotal], [1, 1, 1])
  }
  const first = planOf(EMPTY, incomingOf('table', [asked('A')]), undefined)
  const store = write({ ...EMPTY, sources: [{ kind: 'table', isLive: true }] }, first, 0)
  for (const both of [
    [named('B'), asked('A')],
    [asked('A'), named('B')],
  ]) {
    const { cards, changedCards, newCards } = planOf(store, incomingOf('table', both), 0, true)
    t.match(cards, { created: 1, archived: 0 })
    t.equal(newCards.length, 1)
    t.ok(changedCards.length <= 1, 'no row is inserted twice')
  }
})

t.test('a question keeps its row although the id of a card in another deck equals its key', async (t) => {
  const asked: Cell = { deck: 'A', identity: { by: 'question' }, question: 'Was ist DNS?' }
  const named: Cell = {
    deck: 'B',
    identity: { by: 'id', id: keyOf({ by: 'question' }, asked.question) },
    question: 'x',
  }
  const first = planOf(EMPTY, incomingOf('table', [asked]), undefined)
  const store = write({ ...EMPTY, sources: [{ kind: 'table', isLive: true }] }, first, 0)
  for (const before of [store, editInStore(store, [1])]) {
    const plan = planOf(before, incomingOf('table', [named, asked]), 0)
    t.match(plan.newCards, [{ card: { question: 'x' } }])
    t.strictSame([plan.changedCards, plan.renamedCards, plan.warningsTotal], [[], [], 0])
    const after = write(before, plan, 0)
    t.match(planOf(after, incomingOf('table', [named, asked]), 0).cards, { created: 0, updated: 0, unchanged: 2 })
  }
})

const editInStore = (store: Store, ids: readonly number[], state: OwnedCard['state'] = 'live'): Store =>
  counted({
    ...store,
    cards: store.cards.map((card) =>
      ids.includes(card.id) ? { ...card, state, question_digest: 'hier', is_edited: true } : card,
    ),
  })

t.test('a deck stays as long as it contains an edited card', async (t) => {
  const card = (deck: string, id: string): Cell => ({ deck, identity: { by: 'id', id }, question: id })
  const table = (...cells: Cell[]) => incomingOf('table', cells)
  const first = planOf(EMPTY, table(card('A', 'k1'), card('A', 'k2')), undefined)
  const store = write({ ...EMPTY, sources: [{ kind: 'table', isLive: true }] }, first, 0)

  const changed = editInStore(store, [1])
  const moving = planOf(changed, table(card('B', 'k1')), 0, true)
  t.strictSame([moving.archivedDecks, moving.archivedCards, moving.newDecks], [[], [2], []])
  const after = write(changed, moving, 0)
  t.match(after.decks, [{ slug: 'a', is_live: true }])
  // With `mirror`, the last argument, the plan archives cards that the upload lacks.
  const instead = planOf(after, table(card('A', 'k3')), 0, true)
  t.strictSame([instead.archivedCards, instead.cards], [[1], { created: 1, updated: 0, unchanged: 0, archived: 1 }])

  const withDraft = editInStore(store, [2], 'draft')
  for (const cells of [[card('B', 'k1')], [card('B', 'k1'), card('B', 'k2')]]) {
    const plan = planOf(withDraft, table(...cells), 0)
    t.strictSame(plan.archivedDecks, [], 'its draft is not hidden')
    t.equal(plan.cards.updated, 1)
  }
})

t.test('a deck archived by an editor returns without the cards that a mirrored upload lacks', async (t) => {
  const card = (deck: string, id: string): Cell => ({ deck, identity: { by: 'id', id }, question: id })
  const cells = [card('A', 'k1'), card('A', 'k2')]
  const first = planOf(EMPTY, incomingOf('table', cells), undefined)
  const store = write({ ...EMPTY, sources: [{ kind: 'table', isLive: true }] }, first, 0)
  const archived = { ...store, decks: store.decks.map((deck) => ({ ...deck, is_live: false })) }
  t.strictSame(planOf(archived, incomingOf('table', [card('B', 'k3')]), 0, true).archivedCards, [])
  const back = planOf(archived, incomingOf('table', [card('A', 'k1')]), 0, true)
  t.strictSame([back.archivedCards, back.changedDecks.length], [[2], 1])
  const again = planOf(write(archived, back, 0), incomingOf('table', [card('A', 'k1')]), 0, true)
  t.match(again.cards, { updated: 0, unchanged: 1, archived: 0 })
})

t.test('a card keeps the parts that the file does not contain', async (t) => {
  const cell: Cell = { deck: 'A', identity: { by: 'id', id: 'k1' }, question: 'Frage' }
  const first = planOf(EMPTY, incomingOf('table', [cell]), undefined)
  const store = write({ ...EMPTY, sources: [{ kind: 'table', isLive: true }] }, first, 0)
  const planWithout = (absent: UploadCard['absent'], changed: object) => {
    const { decks, ...upload } = keyUpload(incomingOf('table', [cell]))
    const others = decks.map((deck) => ({
      ...deck,
      cards: deck.cards.map((card) => ({ ...card, ...changed, absent })),
    }))
    const stored = { sourceId: 0, ...store, sheets: [] }
    return planUpload({ ...upload, decks: others }, digestsOf(others), stored, { mirror: false }, NO_GROUPS)
  }
  for (const part of ['level', 'answer', 'question'] as const) {
    t.strictSame(planWithout([part], { [part]: '' }).changedCards, [], part)
    t.match(planWithout([], { [part]: '' }).changedCards, [{ keeps: { length: 0 }, staysEdited: false }], part)
  }
  t.match(planWithout(['level'], { answer: 'neu', level: '' }).changedCards, [{ keeps: ['level'] }])
})

t.test('keys are valid in files, and slugs in addresses', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.nat(), (text, ord) => {
      for (const identity of [
        { by: 'note', guid: text, ord } as const,
        { by: 'id', id: text } as const,
        { by: 'question' } as const,
      ]) {
        if (!/^[a-z0-9-]{1,64}$/.test(keyOf(identity, text))) throw new Error(keyOf(identity, text))
      }
      const slug = slugFrom(text)
      if (slugFrom(slug) !== slug || /[\s/?#%]/.test(slug)) throw new Error(slug)
    }),
  )
  const names = ['Netz::TCP/IP', 'Ärger & Größe', '日本語::漢字', 'がくせい', 'C++', '…', 'Crème brûlée']
  t.strictSame(names.map(slugFrom), [
    'netz-tcp-ip',
    'aerger-groesse',
    '日本語-漢字',
    'がくせい',
    'c',
    '',
    'creme-brulee',
  ])
  const slugs = new FreeSlugs(['x', 'x-2'], ['all'], 'deck')
  t.strictSame(
    ['x', 'x', 'all', '', '', '.', 'y'.repeat(300)].map((name) => slugs.take(name).slice(0, 8)),
    [...['x-3', 'x-4', 'all-2', 'deck', 'deck-2', '.-2', 'yyyyyyyy']],
  )
})
