import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import { readAll } from '../../api/read-all.js'
import type { Body, Query, ResponseBody } from '../../api/types.js'
import { compare, type GroupKind } from './gruppe/group.js'

export type ContentState = ResponseBody<'/api/content/state'>
export type DifficultyOrder = Query<'/api/content/sources/{id}/difficult', 'get'>['order']
export type CheckResponse = ResponseBody<'/api/content/check', 'post'>
export type ImportStats = NonNullable<NonNullable<ContentState['last_import']>['stats']>
export type CardReport = ResponseBody<'/api/content/reports'>['reports'][number]
export type FileFault = NonNullable<ContentState['last_import']>['errors'][number]
/** Preview or result of an upload */
export type Upload = ResponseBody<'/api/content/imports', 'post'>
/** A fault or warning of a file, which may stand for several (`more`) */
export type FileFinding = FileFault & Partial<Upload['stats']['warnings'][number]>
export type Source = ResponseBody<'/api/content/sources'>['sources'][number]
export type AuthorDeck = ResponseBody<'/api/content/decks'>['decks'][number]
/** Source of a deck, card, sheet or test */
export type SourceRef = NonNullable<AuthorDeck['source']>

type CardWithOrigin = ResponseBody<'/api/content/cards/{id}'>['card']
type ListedCard = ResponseBody<'/api/content/cards'>['cards'][number]
/** A card as its own route returns it; cards of a list lack some of its fields */
export type AuthorCard = Pick<CardWithOrigin, keyof CardWithOrigin & keyof ListedCard> & Partial<CardWithOrigin>
/** An option of a question, as a request has it */
export type Option = NonNullable<NewCard['options']>[number]
export type NewCard = Body<'/api/content/cards', 'post'>
export type ChangedCard = Body<'/api/content/cards/{id}', 'patch'>
type CardVersion = ResponseBody<'/api/content/cards/{id}/versions'>['versions'][number]
export type AuthorSheet = ResponseBody<'/api/content/sheets/{slug}'>['sheet']
export type SheetVersion = ResponseBody<'/api/content/sheets/{slug}/versions'>['versions'][number]
/** What versions of cards and of sheets have in common */
export type Version = Pick<CardVersion & SheetVersion, 'version' | 'changed_at' | 'changed_by_name' | 'how'>

export interface CardFilter {
  q: string
  state: 'live' | 'draft' | 'archived'
  level: string
}

const PAGE = 50

/** Queries of authors, in a separate module so that learners do not load them */
export const contentQueries = {
  contentState: () => queryOptions({ queryKey: ['author', 'state'], queryFn: () => api.get('/api/content/state') }),
  sources: () => queryOptions({ queryKey: ['author', 'sources'], queryFn: () => api.get('/api/content/sources') }),
  editors: (id: number) =>
    queryOptions({
      queryKey: ['author', 'source', id, 'editors'],
      queryFn: () => api.get('/api/content/sources/{id}/editors', { path: { id } }),
    }),
  decks: () =>
    queryOptions({
      queryKey: ['author', 'decks'],
      queryFn: () => api.get('/api/content/decks'),
    }),
  cards: (deck: string, filter: CardFilter) =>
    infiniteQueryOptions({
      queryKey: ['author', 'cards', deck, { ...filter }],
      queryFn: ({ pageParam, signal }): Promise<{ cards: AuthorCard[]; next_after: number | null }> =>
        api.get('/api/content/cards', { query: { deck, ...filter, limit: PAGE, after: pageParam }, signal }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_after }) => next_after ?? undefined,
      placeholderData: keepPreviousData,
      // Structural sharing would compare all loaded pages whenever a page is added.
      structuralSharing: false,
      refetchOnWindowFocus: false,
    }),
  card: (id: number) =>
    queryOptions({
      queryKey: ['author', 'card', id],
      queryFn: (): Promise<{ card: AuthorCard }> => api.get('/api/content/cards/{id}', { path: { id } }),
      // The editor works on its own copy of the text, and detects a newer version when it saves.
      refetchOnWindowFocus: false,
    }),
  cardVersions: (id: number) =>
    queryOptions({
      queryKey: ['author', 'card', id, 'versions'],
      queryFn: () => api.get('/api/content/cards/{id}/versions', { path: { id } }),
    }),
  /** Sheets of a source; without `source`, all that the user may edit */
  sheets: (source?: number) =>
    queryOptions({
      queryKey: source === undefined ? ['author', 'sheets'] : ['author', 'sheets', source],
      queryFn: () => listSheets(source),
    }),
  sheet: (slug: string) =>
    queryOptions({
      queryKey: ['author', 'sheet', slug],
      queryFn: () => api.get('/api/content/sheets/{slug}', { path: { slug } }),
      refetchOnWindowFocus: false,
    }),
  sheetVersions: (slug: string) =>
    queryOptions({
      queryKey: ['author', 'sheet', slug, 'versions'],
      queryFn: () => api.get('/api/content/sheets/{slug}/versions', { path: { slug } }),
    }),
  /** What has changed in the original of a variant */
  comparison: (kind: GroupKind, slug: string) =>
    queryOptions({
      queryKey: ['author', 'comparison', kind, slug],
      queryFn: () => compare(kind, slug),
      staleTime: 0,
    }),
  changes: (source: number | undefined, by: string) =>
    infiniteQueryOptions({
      queryKey: ['author', 'changes', source ?? null, by],
      queryFn: ({ pageParam }) => {
        const query = { by, before: pageParam, limit: source === undefined ? 10 : PAGE }
        if (source === undefined) return api.get('/api/content/changes', { query })
        return api.get('/api/content/sources/{id}/changes', { path: { id: source }, query })
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_before }) => next_before ?? undefined,
      placeholderData: keepPreviousData,
    }),
  difficult: (id: number, order: DifficultyOrder) =>
    queryOptions({
      queryKey: ['author', 'source', id, 'difficult', order],
      queryFn: () => api.get('/api/content/sources/{id}/difficult', { path: { id }, query: { order, limit: 20 } }),
      placeholderData: keepPreviousData,
    }),
  openReports: () =>
    queryOptions({
      queryKey: ['author', 'reports', 'count'],
      queryFn: () => api.get('/api/content/reports', { query: { state: 'open', limit: 1 } }),
    }),
  reports: (state: 'open' | 'settled') =>
    infiniteQueryOptions({
      queryKey: ['author', 'reports', state],
      queryFn: ({ pageParam }) => api.get('/api/content/reports', { query: { state, limit: PAGE, before: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_before }) => next_before ?? undefined,
    }),
}

/** Reads the whole list, because forms filter it in the browser: one request for each 1,000 sheets, without texts. */
async function listSheets(source: number | undefined) {
  const pages = await readAll((after) => api.get('/api/content/sheets', { query: { source, after, limit: 1_000 } }))
  return { sheets: pages.flatMap(({ sheets }) => sheets) }
}

export const REPORTS_KEY = ['author', 'reports'] as const
