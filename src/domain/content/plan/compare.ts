import { CARD_PARTS, type CardPart } from '../card-texts.js'
import { type ImportedItem, planTranslations, type StoredGroupItem } from '../translations.js'
import type { CardSource, DeckSource, Fault, SheetSource } from '../types.js'
import type { CardDigests, Plan, StoredCard, StoredDeck, StoredSheet, Visibility } from './types.js'

export function stateOf({ draft }: { draft: boolean }): Visibility {
  return draft ? 'draft' : 'live'
}

/**
 * Returns a fault if the file would change `tests_only` of a deck. Learners know the cards of an ordinary deck, and
 * must not see cards that only tests use. An archived deck without an owner may become `tests_only`, because earlier
 * versions cleared this setting when the source of the deck was deleted.
 * @param isOwned whether a file of the folder or a source describes the deck
 */
export function findPoolFault(row: StoredDeck, deck: DeckSource, isOwned: boolean): Fault | undefined {
  if (row.tests_only === deck.tests_only || (!isOwned && !row.is_live && deck.tests_only)) return undefined
  const message = row.tests_only
    ? `Das Deck „${row.slug}“ ist ein Fragenpool und bleibt es: im Front Matter fehlt „tests_only: true“`
    : `Das Deck „${row.slug}“ gibt es schon für alle Lernenden; „tests_only: true“ geht nur bei einem neuen Deck`
  return { file: deck.file, line: 1, message }
}

/**
 * Adds a deck to the plan as new, changed or unchanged.
 * @param receivesNone whether the import writes none of the deck's cards; an archived deck then stays archived
 */
export function planDeck<Deck extends DeckSource>(
  plan: Plan<Deck, CardSource, SheetSource>,
  deck: Deck,
  row: StoredDeck | undefined,
  receivesNone = false,
): void {
  if (row === undefined) {
    plan.newDecks.push(deck)
    plan.decks.created++
  } else if (row.is_live ? isSameDeck(row, deck) : receivesNone) {
    plan.decks.unchanged++
  } else {
    plan.changedDecks.push({ id: row.id, deck })
    plan.decks.updated++
  }
}

function isSameDeck(row: StoredDeck, deck: DeckSource): boolean {
  return (
    row.slug === deck.slug &&
    row.name === deck.name &&
    row.description === deck.description &&
    row.sort_order === deck.sort_order &&
    row.options_off === deck.options_off &&
    row.lang === deck.lang &&
    row.desired_retention === deck.desired_retention
  )
}

const DIGESTS = CARD_PARTS.map((part) => ({ part, column: `${part}_digest` as const }))

/**
 * Returns whether a stored card and a card of a file differ in a text or the exercise.
 * @param absent parts that the file does not contain
 */
export function hasOtherText(
  row: StoredCard,
  digests: CardDigests | undefined,
  absent: readonly CardPart[] = [],
): boolean {
  return DIGESTS.some(({ part, column }) => row[column] !== digests?.[part] && !absent.includes(part))
}

/** A sheet of a file and its stored row; undefined for a new sheet, whose slug is then free. */
export interface MatchedSheet<Sheet, Row> {
  sheet: Sheet
  row: Row | undefined
}

/**
 * Adds the sheets to the plan as new, changed or unchanged.
 * @param archivable stored sheets that are archived unless they match
 * @param keepsText whether a stored sheet keeps its text although the file has another one
 */
export function planSheets<Sheet extends SheetSource, Row extends StoredSheet>(
  plan: Plan<DeckSource, CardSource, Sheet>,
  matches: readonly MatchedSheet<Sheet, Row>[],
  archivable: readonly Row[],
  digests: ReadonlyMap<SheetSource, string>,
  keepsText: (sheet: Sheet, row: Row) => boolean = () => false,
): void {
  for (const { sheet, row } of matches) {
    if (row === undefined) {
      plan.newSheets.push(sheet)
      plan.cheatsheets.created++
      continue
    }
    const isOther = row.state !== stateOf(sheet) || row.digest !== digests.get(sheet)
    const isKept = isOther && keepsText(sheet, row)
    if (!isOther || (isKept && row.state !== 'archived')) plan.cheatsheets.unchanged++
    else {
      plan.changedSheets.push({ id: row.id, sheet, isDraft: sheet.draft, keepsText: isKept })
      plan.cheatsheets.updated++
    }
  }
  const kept = new Set(matches.map(({ row }) => row))
  plan.archivedSheets = archivable.filter((row) => row.state !== 'archived' && !kept.has(row)).map(({ id }) => id)
  plan.cheatsheets.archived = plan.archivedSheets.length
}

/** Stored decks and sheets with their groups */
export interface StoredGroups {
  decks: readonly StoredGroupItem[]
  sheets: readonly StoredGroupItem[]
}

/**
 * Adds the changes of the groups to a plan whose slugs are final, and archives the variants whose original the plan
 * archives. A deck or sheet that changes only its language or original counts as updated.
 * @param sourceId null for the content folder
 */
export function planGroups(
  plan: Plan<DeckSource, CardSource, SheetSource>,
  items: { decks: readonly ImportedItem[]; sheets: readonly ImportedItem[] },
  stored: StoredGroups,
  sourceId: number | null,
): void {
  const decks = planTranslations(items.decks, stored.decks, new Set(plan.archivedDecks), sourceId)
  const sheets = planTranslations(items.sheets, stored.sheets, new Set(plan.archivedSheets), sourceId)
  plan.translations = { decks: decks.changes, sheets: sheets.changes }
  plan.faults.push(...decks.faults, ...sheets.faults)
  plan.archivedDecks.push(...decks.orphans)
  plan.archivedSheets.push(...sheets.orphans)
  const written = [
    { counts: plan.decks, described: items.decks, changed: plan.changedDecks, ...decks },
    { counts: plan.cheatsheets, described: items.sheets, changed: plan.changedSheets, ...sheets },
  ]
  for (const { counts, described, changed, changes, orphans } of written) {
    const unchanged = new Set(described.map(({ id }) => id))
    for (const { id } of changed) unchanged.delete(id)
    const others = changes.filter(({ id }) => id !== undefined && unchanged.has(id)).length
    counts.updated += others
    counts.unchanged -= others
    counts.archived += orphans.length
  }
}
