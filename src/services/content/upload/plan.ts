import type { Kysely } from 'kysely'
import { findSource, findSourceByName, type Source } from '../../../../db/queries/content/sources.js'
import {
  findCardsById,
  findCardsOfNotes,
  findCardsWithoutNote,
  findCardTexts,
  findSourceCards,
  findStoredDecks,
  findStoredSheets,
} from '../../../../db/queries/content/stored.js'
import type { Database } from '../../../../db/types.js'
import { guidOf } from '../../../domain/anki/index.js'
import { sortWarnings } from '../../../domain/content/findings.js'
import {
  type AllChanges,
  changesOf,
  type DeckChanges,
  type Digests,
  type OwnedCard,
  type Upload,
  type UploadPlan,
} from '../../../domain/content/plan/types.js'
import { planUpload } from '../../../domain/content/plan/upload.js'
import { OtherKind, SOURCE_NOT_FOUND } from '../../../domain/content/refusals.js'
import type { Warning } from '../../../domain/content/types.js'
import type { Incoming, IncomingPicture, SourceKind } from '../../../domain/content/upload/incoming.js'

/** Maximum number of decks in a response; the others are only counted. */
const MAX_DECKS = 200

/** Target of an upload: an existing source, or a new one of that name. */
export interface Target {
  source: Source | null
  name: string
  /** Whether the source was found by name only */
  isGuessed: boolean
}

/** An upload that has been read, with the keys of its cards. */
export interface ReadyUpload extends Pick<Incoming, 'pictures' | 'warnings' | 'warningsTotal'> {
  upload: Upload
  digests: Digests
  /** Time of its start, as of `performance.now` */
  started: number
  /** Size of the file in bytes */
  size: number
}

/** Result or preview of an upload. */
export interface UploadReport {
  source: { id: number | null; kind: SourceKind; name: string }
  /** A source of the same name if the request does not say whether to update it */
  existing: { id: number; name: string } | null
  stats: AllChanges & {
    pictures: { created: number; unchanged: number }
    duration_ms: number
    warnings: Warning[]
    warnings_total: number
  }
  decks: DeckChanges[]
  examples: {
    /** Slug of the deck */
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

/** Compares the upload with the current store. */
export async function planSource(
  db: Kysely<Database>,
  { upload, digests }: ReadyUpload,
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

/** Returns cards without a note of their own that became these notes in our own packages. */
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

/** Returns the guids of notes that the source's own cards do not cover. */
function listGuids({ decks }: Upload, cards: ReadonlyMap<number, OwnedCard>): string[] {
  const known = new Set([...cards.values()].map(({ guid, ord }) => `${ord} ${guid}`))
  const guids = new Set<string>()
  for (const deck of decks) {
    for (const { guid, ord } of deck.cards) if (guid !== null && !known.has(`${ord} ${guid}`)) guids.add(guid)
  }
  return [...guids]
}

/** Must be called before the plan is written. */
export async function describeUpload(
  db: Kysely<Database>,
  { upload, pictures, warnings, warningsTotal, started }: ReadyUpload,
  plan: UploadPlan,
  missing: readonly IncomingPicture[],
  { source, name, isGuessed }: Target,
): Promise<UploadReport> {
  const texts = await findCardTexts(
    db,
    plan.examples.flatMap(({ id }) => id ?? []),
  )
  return {
    source: { id: source?.id ?? null, kind: upload.kind, name },
    existing: isGuessed && source !== null ? { id: source.id, name: source.name } : null,
    stats: {
      ...changesOf(plan),
      pictures: { created: missing.length, unchanged: pictures.length - missing.length },
      duration_ms: Math.round(performance.now() - started),
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
