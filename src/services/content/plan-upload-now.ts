import type { Kysely } from 'kysely'
import { findSource, findSourceByName, type Source } from '../../../db/queries/content/sources.js'
import {
  findCardsById,
  findCardsOfNotes,
  findCardsWithoutNote,
  findCardTexts,
  findSourceCards,
  findStoredDecks,
  findStoredSheets,
} from '../../../db/queries/content/stored.js'
import type { Database } from '../../../db/types.js'
import { guidOf } from '../../domain/anki/guid.js'
import type { Changes, Digests } from '../../domain/content/import-plan.js'
import type { Incoming, IncomingPicture, SourceKind } from '../../domain/content/incoming.js'
import { planUpload } from '../../domain/content/plan-upload.js'
import type { Warning } from '../../domain/content/types.js'
import type { DeckChanges, OwnedCard, Upload, UploadPlan } from '../../domain/content/upload-plan.js'
import { OtherKind, SOURCE_NOT_FOUND } from '../../domain/refusals.js'
import { changesOf, sortWarnings } from './plan-now.js'

/** Decks of an answer; the others are only counted. */
const MAX_DECKS = 200

/** Where an upload goes: to a source, or to a new one of that name. */
export interface Target {
  source: Source | null
  name: string
  /** Whether the source was found by its name alone. */
  isGuessed: boolean
}

/** What an upload did, or would do. */
export interface UploadReport {
  source: { id: number | null; kind: SourceKind; name: string }
  /** An equally named source when nobody has said whether it is meant. */
  existing: { id: number; name: string } | null
  stats: {
    decks: Changes
    cards: Changes
    cheatsheets: Changes
    pictures: { created: number; unchanged: number }
    duration_ms: number
    warnings: Warning[]
    warnings_total: number
  }
  decks: DeckChanges[]
  examples: {
    /** Its slug. */
    deck: string
    kind: 'created' | 'updated'
    before: { question: string; answer: string } | null
    after: { question: string; answer: string; level: string }
  }[]
}

/** @throws SOURCE_NOT_FOUND, OtherKind */
export async function targetOf(
  db: Kysely<Database>,
  kind: SourceKind,
  { name, sourceId, isNew = false }: { name: string; sourceId?: number | undefined; isNew?: boolean },
): Promise<Target> {
  if (sourceId !== undefined) {
    const source = await findSource(db, sourceId)
    if (source === undefined) throw SOURCE_NOT_FOUND
    if (source.kind !== kind) throw new OtherKind(source, kind)
    return { source, name: source.name, isGuessed: false }
  }
  const namesake = isNew ? undefined : await findSourceByName(db, kind, name)
  return { source: namesake ?? null, name, isGuessed: namesake !== undefined }
}

/** Compares the upload with what the store holds at this moment. */
export async function planUploadNow(
  db: Kysely<Database>,
  { upload, digests }: { upload: Upload; digests: Digests },
  sourceId: number | undefined,
  { mirror = false }: { mirror?: boolean },
): Promise<UploadPlan> {
  const decks = await findStoredDecks(db)
  const sheets = await findStoredSheets(db)
  const cards = new Map<number, OwnedCard>()
  if (sourceId !== undefined) for (const card of await findSourceCards(db, sourceId)) cards.set(card.id, card)
  const guids = listGuids(upload, cards)
  for (const card of await findCardsOfNotes(db, guids)) cards.set(card.id, card)
  for (const card of await findExportedCards(db, guids)) cards.set(card.id, card)
  return planUpload(upload, digests, { sourceId, decks, sheets, cards: [...cards.values()] }, { mirror })
}

/** The cards that have no note of their own and became these notes in one of our own packages. */
async function findExportedCards(db: Kysely<Database>, guids: readonly string[]): Promise<OwnedCard[]> {
  if (guids.length === 0) return []
  const wanted = new Set(guids)
  const exported = new Map<number, string>()
  for (const { id, created_at } of await findCardsWithoutNote(db)) {
    const guid = guidOf({ id, created_at, guid: null, ord: null })
    if (wanted.has(guid)) exported.set(id, guid)
  }
  const cards = await findCardsById(db, [...exported.keys()])
  return cards.map((card) => ({ ...card, guid: exported.get(card.id) as string, ord: 0 }))
}

/** Of the notes that the source's own cards do not account for. */
function listGuids({ decks }: Upload, cards: ReadonlyMap<number, OwnedCard>): string[] {
  const known = new Set([...cards.values()].map(({ guid, ord }) => `${ord} ${guid}`))
  const guids = new Set<string>()
  for (const deck of decks) {
    for (const { guid, ord } of deck.cards) if (guid !== null && !known.has(`${ord} ${guid}`)) guids.add(guid)
  }
  return [...guids]
}

/** To be called before the plan is written. */
export async function describeUpload(
  db: Kysely<Database>,
  upload: {
    upload: Upload
    pictures: IncomingPicture[]
    warnings: Pick<Incoming, 'warnings' | 'warningsTotal'>
    started: number
  },
  plan: UploadPlan,
  missing: readonly IncomingPicture[],
  { source, name, isGuessed }: Target,
): Promise<UploadReport> {
  const { warnings, warningsTotal } = upload.warnings
  const texts = await findCardTexts(
    db,
    plan.examples.flatMap(({ id }) => id ?? []),
  )
  return {
    source: { id: source?.id ?? null, kind: upload.upload.kind, name },
    existing: isGuessed && source !== null ? { id: source.id, name: source.name } : null,
    stats: {
      ...changesOf(plan),
      pictures: { created: missing.length, unchanged: upload.pictures.length - missing.length },
      duration_ms: Math.round(performance.now() - upload.started),
      warnings: sortWarnings([...warnings, ...plan.warnings]),
      warnings_total: warningsTotal + plan.warningsTotal,
    },
    decks: plan.perDeck.slice(0, MAX_DECKS),
    examples: plan.examples.map(({ deck, id, card: { question, answer, level } }) => ({
      deck: deck.slug,
      kind: id === null ? 'created' : 'updated',
      before: (id === null ? undefined : texts.get(id)) ?? null,
      after: { question, answer, level },
    })),
  }
}
