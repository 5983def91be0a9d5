import { api } from '../../../api/client.js'
import { fieldOf } from '../../../api/faults.js'
import type { ResponseBody } from '../../../api/types.js'
import { LOCALE } from '../../../words/locale.js'

export type GroupKind = 'deck' | 'sheet' | 'test'

/** A deck, sheet or test with what the pages show of its group */
export interface GroupItem {
  slug: string
  title: string
  lang: string
  translation_of: string | null
  translation_outdated: boolean
  variants: { slug: string; lang: string; title: string; translation_outdated: boolean }[]
}

export type DeckComparison = ResponseBody<'/api/content/decks/{slug}/translation'>['translation']
export type ChangedCard = DeckComparison['cards'][number]
/** What has changed in the original of a variant; only decks have cards. */
export type Comparison = Pick<DeckComparison, 'original' | 'translation_outdated'> & {
  original_version: string | number
  texts: { field: string; before: string; after: string }[]
} & Partial<Pick<DeckComparison, 'cards' | 'cards_total'>>

const LANGUAGES = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'fa', 'fr', 'hr', 'hu', 'it', 'nl', 'pl', 'pt', 'ro', 'ru'],
  ...['sq', 'sr', 'tr', 'uk', 'vi', 'zh'],
]

const names = new Intl.DisplayNames(LOCALE, { type: 'language' })

/** Returns the options for a language by name, including the current language if it is not one of `LANGUAGES`. */
export function languageOptions(lang: string): { value: string; label: string }[] {
  return [...new Set([...LANGUAGES, lang])]
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((one, other) => one.label.localeCompare(other.label, LOCALE))
}

/** Returns the items of a source that can be the original of an item. */
export function originalsFor<
  Item extends {
    slug: string
    translation_of: string | null
    archived_at: string | null
    source: { id: number } | null
  },
>(items: readonly Item[], source: number | undefined, slug?: string): Item[] {
  return items.filter(
    (item) =>
      item.translation_of === null && item.source?.id === source && item.slug !== slug && item.archived_at === null,
  )
}

/** Returns the language that a new variant probably has: English, or the first one that the group lacks. */
export function nextLanguage({ lang, variants }: Pick<GroupItem, 'lang' | 'variants'>): string {
  const taken = [lang, ...variants.map((variant) => variant.lang)]
  return ['en', 'de', 'fr', ...LANGUAGES].find((one) => !taken.includes(one)) ?? 'en'
}

/** Returns whether the service has refused the language or the original, which `group-fields.svelte` says. */
export function isGroupField(error: unknown): boolean {
  return ['lang', 'translation_of'].includes(fieldOf(error) ?? '')
}

const PATHS = { deck: 'decks', sheet: 'spickzettel', test: 'tests' } as const

/** Returns the address of the page on which an item is edited. */
export function addressOf(kind: GroupKind, slug: string): string {
  return `inhalte/${PATHS[kind]}/${encodeURIComponent(slug)}`
}

export function compare(kind: GroupKind, slug: string): Promise<{ translation: Comparison }> {
  const path = { slug }
  if (kind === 'deck') return api.get('/api/content/decks/{slug}/translation', { path })
  if (kind === 'sheet') return api.get('/api/content/sheets/{slug}/translation', { path })
  return api.get('/api/content/tests/{slug}/translation', { path })
}

/** @throws Refused with `version_outdated` if the original has changed since it was compared */
export function markChecked(kind: GroupKind, slug: string, { original_version }: Comparison): Promise<unknown> {
  const path = { slug }
  if (kind === 'deck') {
    const body = { original_version: String(original_version) }
    return api.post('/api/content/decks/{slug}/checked', { path, body })
  }
  const body = { original_version: Number(original_version) }
  if (kind === 'sheet') return api.post('/api/content/sheets/{slug}/checked', { path, body })
  return api.post('/api/content/tests/{slug}/checked', { path, body })
}

/** Copies the cards of the original that a deck lacks, as drafts. Returns their number. */
export async function copyMissingCards(slug: string): Promise<number> {
  return (await api.post('/api/content/decks/{slug}/missing-cards', { path: { slug } })).copied
}

/**
 * Sorts items so that variants follow their originals.
 * @example withVariants(decks) // [{ item: git, isVariant: false }, { item: gitEn, isVariant: true }]
 */
export function withVariants<Item extends { slug: string; translation_of: string | null }>(
  items: readonly Item[],
): { item: Item; isVariant: boolean }[] {
  const slugs = new Set(items.map(({ slug }) => slug))
  const isOriginal = ({ translation_of }: Item) => translation_of === null || !slugs.has(translation_of)
  return items
    .filter(isOriginal)
    .flatMap((original) => [
      { item: original, isVariant: false },
      ...items.filter((item) => item.translation_of === original.slug).map((item) => ({ item, isVariant: true })),
    ])
}
