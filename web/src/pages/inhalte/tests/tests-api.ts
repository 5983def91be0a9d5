import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { readAll } from '../../../api/read-all.js'
import type { ResponseBody } from '../../../api/types.js'

export type TestSummary = ResponseBody<'/api/content/tests'>['tests'][number]
export type EditedTest = ResponseBody<'/api/content/tests/{slug}'>['test']
export type Section = EditedTest['sections'][number]
export type Publication = ResponseBody<'/api/content/tests/{slug}/publish', 'post'>

/** A card of a deck that a section may refer to by its `key` */
export type DeckQuestion = Pick<ResponseBody<'/api/content/cards'>['cards'][number], 'key' | 'level' | 'question'>

export const TEST_PATH = '/api/content/tests/{slug}'
export const TESTS_KEY = ['author', 'tests'] as const
/** Maximum page size of the route that lists cards; a section offers the questions of at most `PAGES` pages */
const PAGE = 200
const PAGES = 10
/** Maximum number of questions that the route of the statistics returns, and the page shows */
export const MAX_REPORTS = 1_000

export const testQueries = {
  tests: () =>
    infiniteQueryOptions({
      queryKey: [...TESTS_KEY, 'list'],
      queryFn: ({ pageParam }) => api.get('/api/content/tests', { query: { after: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_after }) => next_after ?? undefined,
    }),
  test: (slug: string) =>
    queryOptions({
      queryKey: [...TESTS_KEY, slug],
      queryFn: () => api.get(TEST_PATH, { path: { slug } }),
      // The editor works on its own copy of the definition, and detects a newer version when it saves.
      refetchOnWindowFocus: false,
    }),
  /** An attempt as a learner would see it; each request may draw other questions */
  preview: (slug: string) =>
    queryOptions({
      queryKey: [...TESTS_KEY, slug, 'preview'],
      queryFn: () => api.get('/api/content/tests/{slug}/preview', { path: { slug } }),
      staleTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  /** Statistics of a version; an empty string requests those of the published version */
  statistics: (slug: string, version: string) =>
    queryOptions({
      queryKey: [...TESTS_KEY, slug, 'statistics', version],
      queryFn: () =>
        api.get('/api/content/tests/{slug}/statistics', {
          path: { slug },
          query: { version: version === '' ? undefined : Number(version), limit: MAX_REPORTS },
        }),
    }),
  /** Questions of a deck that the user may edit, without drafts */
  questions: (deck: string) =>
    queryOptions({ queryKey: ['author', 'cards', 'questions of', deck], queryFn: () => findQuestions(deck) }),
}

async function findQuestions(deck: string): Promise<DeckQuestion[]> {
  const pages = await readAll(
    (after) => api.get('/api/content/cards', { query: { deck, questions: true, limit: PAGE, after } }),
    PAGES,
  )
  return pages.flatMap(({ cards }) => cards.filter(({ draft }) => !draft))
}

/**
 * Publishes a test, or with `isCheck` returns the effects without publishing.
 * @throws Fault if the request fails
 */
export function publish(slug: string, isCheck: boolean): Promise<Publication> {
  return api.post('/api/content/tests/{slug}/publish', { path: { slug }, query: { check: isCheck || undefined } })
}
