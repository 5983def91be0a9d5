import { NotInGroup } from './refusals.js'
import type { Fault, Translation, Warning } from './types.js'

export const DEFAULT_LANGUAGE = 'de'
const MAX_LANGUAGE_LENGTH = 35
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/
const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/**
 * Returns a language tag (BCP 47) in its canonical form; undefined if it is malformed, has more than 35 characters or
 * names no language.
 * @example toLanguage('de-ch') // 'de-CH'
 */
export function toLanguage(text: string): string | undefined {
  if (text.length > MAX_LANGUAGE_LENGTH || !LANGUAGE.test(text)) return undefined
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text)
    return NAMES.of(new Intl.Locale(tag).language) === undefined ? undefined : tag
  } catch {
    return undefined
  }
}

export type GroupKind = 'deck' | 'sheet' | 'test'

/** A deck, sheet or test in its group: an original and its variants in other languages. */
export interface GroupItem {
  slug: string
  lang: string
  /** Slug of the original; null unless the item is a variant */
  translation_of: string | null
  /** Null for the content folder */
  source_id: number | null
  isLive: boolean
  /** Whether only tests use the cards of the deck; false for sheets and tests */
  tests_only: boolean
}

/** Why an item cannot be in its group. `message` is the end of a sentence that begins with the name of the field. */
export interface TranslationProblem {
  field: 'lang' | 'translation_of'
  /** Code of the refusal */
  code: string
  /** Slug of the other item that the problem concerns */
  slug: string
  message: string
}

/**
 * Returns why the item cannot be in its group.
 * @param item state that is to be stored
 * @param others at least the original, the other variants of the original, and the variants of the item
 * @example findTranslationProblem({ ...item, slug: 'a', translation_of: 'a' }, [])?.field // 'translation_of'
 */
export function findTranslationProblem(item: GroupItem, others: readonly GroupItem[]): TranslationProblem | undefined {
  const { slug, lang, translation_of } = item
  if (translation_of !== null) {
    const problem = findOriginalProblem(item, translation_of, others)
    if (problem !== undefined) return { field: 'translation_of', slug: translation_of, ...problem }
  }
  const group = translation_of ?? slug
  const same = others.find((other) => groupOf(other) === group && other.slug !== slug && other.lang === lang)
  if (same === undefined) return undefined
  const message = `hat den Wert ${lang}, aber in dieser Sprache gibt es schon „${same.slug}“`
  return { field: 'lang', code: 'language_taken', slug: same.slug, message }
}

function findOriginalProblem(
  item: GroupItem,
  slug: string,
  others: readonly GroupItem[],
): (Pick<TranslationProblem, 'code' | 'message'> & { slug?: string }) | undefined {
  if (slug === item.slug) return { code: 'original_is_itself', message: 'darf nicht auf sich selbst zeigen' }
  const original = others.find((other) => other.slug === slug)
  const named = (code: string, end: string) => ({ code, message: `nennt „${slug}“, aber das ${end}` })
  if (original === undefined) return named('original_not_found', 'gibt es nicht')
  if (original.source_id !== item.source_id) return named('original_of_other_source', 'gehört zu einer anderen Quelle')
  if (original.translation_of !== null) {
    return named('original_is_variant', `ist selbst eine Variante von „${original.translation_of}“`)
  }
  if (!original.isLive) return named('original_archived', 'ist archiviert')
  // Learners must not see the questions of a pool in another language.
  if (original.tests_only && !item.tests_only) {
    return named('original_is_pool', 'ist ein Fragenpool und dieses Deck nicht')
  }
  if (item.tests_only && !original.tests_only) {
    return named('original_is_no_pool', 'ist kein Fragenpool wie dieses Deck')
  }
  const own = others.find(({ translation_of }) => translation_of === item.slug)
  if (own === undefined) return undefined
  const message = `geht hier nicht: „${own.slug}“ ist schon eine Variante hiervon`
  return { code: 'has_variants', slug: own.slug, message }
}

/** Returns the slug of the original of the group. */
export function groupOf({ slug, translation_of }: Pick<GroupItem, 'slug' | 'translation_of'>): string {
  return translation_of ?? slug
}

/** @throws NotInGroup if the item cannot be in its group */
export function requireGroup(item: GroupItem, others: readonly GroupItem[]): void {
  const problem = findTranslationProblem(item, others)
  if (problem === undefined) return
  const { field, message, code, slug } = problem
  throw new NotInGroup(field, message, { code, details: { slug } })
}

export interface StoredGroupItem extends GroupItem {
  id: number
  /** Key within its source; files refer to the item by it. Null for the content folder */
  source_key: string | null
}

/** An item of an import. */
export interface ImportedItem {
  /** Slug that the item has after the import */
  slug: string
  /** Slug or key that other files of the import use in `translation_of` */
  name: string
  /** Undefined for a new item */
  id: number | undefined
  /** Undefined if the file does not say it, such as a table, or the stored item keeps an edit: it then stays as stored */
  translation: Translation | undefined
  /** As in `GroupItem` */
  tests_only: boolean
}

/** Language and original of an item after an import or another change. */
export interface TranslationChange {
  id: number | undefined
  slug: string
  lang: string
  translation_of: string | null
  /** Whether the item becomes a variant of this original; it then counts as checked against the original */
  joins: boolean
  /** Whether a file says so; false for an item that keeps its group or has to leave it */
  isFromFile: boolean
}

export interface TranslationPlan {
  /**
   * New and renamed items, those whose language or original the import changes, archived variants without a file that
   * leave their groups because an item of the import has their language, and variants that keep their group but lose
   * their original because the import archives it
   */
  changes: TranslationChange[]
  /** Ids of the live variants that no file describes and whose original the import archives */
  orphans: number[]
  faults: Fault[]
}

/**
 * Compares the groups of the imported files with the stored ones.
 * @param stored all stored items
 * @param archived ids of the items that the import archives
 */
export function planTranslations(
  items: readonly ImportedItem[],
  stored: readonly StoredGroupItem[],
  archived: ReadonlySet<number>,
  sourceId: number | null,
): TranslationPlan {
  const rows = new Map(stored.map((row) => [row.id, row]))
  const described = new Set(items.flatMap(({ id }) => id ?? []))
  const keyed = stored.filter((row) => row.source_key !== null && row.source_id === sourceId)
  const names = new Map([...keyed, ...items].map((item) => ['name' in item ? item.name : item.source_key, item.slug]))
  // A file may be renamed: its former slug is that of no other item then.
  const slugs = new Map(items.flatMap(({ id, slug }) => (id === undefined ? [] : [[rows.get(id)?.slug, slug]])))
  const rest = stored
    .filter(({ id }) => !described.has(id))
    .map((row) => ({
      ...row,
      translation_of: slugs.get(row.translation_of ?? undefined) ?? row.translation_of,
      isLive: row.isLive && !archived.has(row.id),
    }))
  const gone = new Set(rest.filter(({ id }) => archived.has(id)).map(({ slug }) => slug))
  const placed = items.map(({ id, slug, translation, tests_only }) => {
    const row = id === undefined ? undefined : rows.get(id)
    const before = row?.translation_of ?? null
    const kept = { lang: row?.lang ?? DEFAULT_LANGUAGE, translation_of: slugs.get(before ?? undefined) ?? before }
    const staying = gone.has(before ?? '') ? { ...kept, translation_of: null } : kept
    const original = translation?.translation_of ?? null
    const wanted = { lang: translation?.lang ?? '', translation_of: original && (names.get(original) ?? original) }
    const item = {
      id,
      slug,
      source_id: sourceId,
      isLive: true,
      tests_only,
      ...(translation === undefined ? staying : wanted),
    }
    const isElsewhere = item.translation_of !== kept.translation_of
    const isOther = item.lang !== kept.lang || isElsewhere || row?.slug !== slug
    return { item, translation, isOther, joins: isElsewhere && item.translation_of !== null }
  })
  const ours = rest.filter(({ source_id }) => source_id === sourceId)
  const leaving = new Set(
    findReplaced(
      ours,
      placed.map(({ item }) => item),
    ),
  )
  const all: GroupItem[] = [...ours.filter((row) => !leaving.has(row)), ...placed.map(({ item }) => item)]
  const foreign = rest.filter(({ source_id }) => source_id !== sourceId)
  const bySlug = new Map([...foreign, ...all].map((item) => [item.slug, item]))
  const groups = new Map<string, GroupItem[]>()
  for (const item of all) {
    const group = groups.get(groupOf(item))
    if (group === undefined) groups.set(groupOf(item), [item])
    else group.push(item)
  }
  const written = new Set<GroupItem>(placed.flatMap(({ item, translation }) => (translation === undefined ? [] : item)))
  const faults = placed.flatMap(({ item, translation }) => {
    if (translation === undefined) return []
    const original = bySlug.get(item.translation_of ?? '')
    // The file of a variant of this variant has the fault; without a file, this one has it.
    const own = (groups.get(item.slug) ?? []).filter((other) => !written.has(other))
    const others = [original ?? [], groups.get(groupOf(item)) ?? [], own].flat()
    const problem = findTranslationProblem(item, others)
    // Of two files with the same language, the fault names the variant; the original only if no file describes the variant.
    if (problem === undefined || (item.translation_of === null && isReported(item, others, placed))) return []
    const { file, lines } = translation
    return [{ file, line: lines[problem.field], message: `„${problem.field}“ ${problem.message}` }]
  })
  const orphans = rest.filter(({ isLive, translation_of }) => isLive && gone.has(translation_of ?? ''))
  return {
    changes: [
      ...[...leaving].map(({ id, slug, lang }) => ({ id, slug, lang, translation_of: null, ...STAYS })),
      ...placed
        .filter(({ isOther }) => isOther)
        .map(({ item: { id, slug, lang, translation_of }, translation, joins }) => {
          return { id, slug, lang, translation_of, joins, isFromFile: translation !== undefined }
        }),
    ],
    orphans: orphans.map(({ id }) => id),
    faults,
  }
}

/**
 * Returns whether a file names another language or original than the stored item has.
 * @param slugs slugs of the import by the names that its files use
 */
export function isOtherGroup(
  stored: Pick<GroupItem, 'lang' | 'translation_of'>,
  { lang, translation_of: original }: Translation,
  slugs: ReadonlyMap<string, string>,
): boolean {
  return stored.lang !== lang || stored.translation_of !== (original && (slugs.get(original) ?? original))
}

const STAYS = { joins: false, isFromFile: false }

/** Returns the archived variants that leave their groups, because one of the other items takes their language. */
export function findReplaced<Item extends GroupItem>(items: readonly Item[], others: readonly GroupItem[]): Item[] {
  const placeOf = (item: GroupItem) => `${item.lang} ${groupOf(item)}`
  const taken = new Set(others.map(placeOf))
  return items.filter((item) => item.translation_of !== null && !item.isLive && taken.has(placeOf(item)))
}

/** Returns whether the fault of a variant of the original reports that both have the same language. */
function isReported(
  original: GroupItem,
  others: readonly GroupItem[],
  placed: readonly { item: GroupItem; translation: Translation | undefined }[],
): boolean {
  const variant = others.find(({ translation_of, lang }) => translation_of === original.slug && lang === original.lang)
  return placed.some(({ item, translation }) => item === variant && translation !== undefined)
}

/**
 * Returns a warning for each file that is skipped because the slug of its original belongs to a source.
 * @param owners names of the sources by slug
 */
export function findForeignOriginals(
  items: readonly { slug: string; translation?: Translation }[],
  owners: ReadonlyMap<string, string>,
): Warning[] {
  return items.flatMap(({ slug, translation }) => {
    const original = translation?.translation_of ?? ''
    const owner = owners.get(original)
    if (translation === undefined || owner === undefined || owners.has(slug)) return []
    const message = `Das Original „${original}“ gehört der Quelle „${owner}“; die Datei wird nicht gelesen`
    return { file: translation.file, line: translation.lines.translation_of, message }
  })
}

/** Returns for each item that is in a group with an item of the language, or has it, the slug of that item. */
export function findTranslated(
  items: readonly Pick<GroupItem, 'slug' | 'lang' | 'translation_of'>[],
  lang: string,
): Map<string, string> {
  const found = new Map(items.filter((item) => item.lang === lang).map((item) => [groupOf(item), item.slug]))
  return new Map(
    items.flatMap((item) => {
      const slug = found.get(groupOf(item))
      return slug === undefined ? [] : [[item.slug, slug]]
    }),
  )
}
