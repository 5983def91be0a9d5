import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { type Answer, api } from '../../../api/client.js'
import type { Question } from '../../tests/types.js'
import { request } from '../content-api.js'
import type { Flag, OptionReport } from './report-words.js'

export type TestSummary = Answer<'/api/content/tests'>['tests'][number]
export type EditedTest = Answer<'/api/content/tests/{slug}'>['test']
export type Section = EditedTest['sections'][number]
export type Publication = Answer<'/api/content/tests/{slug}/publish', 'post'>

export interface Preview {
  name: string
  /** Markdown */
  introduction: string
  pages: 'one' | 'all'
  time_limit_minutes: number | null
  questions: Question[]
}

/**
 * Statistics of a question, computed from first attempts. A figure that covers too few persons is null. Counts can be
 * newer than the other figures.
 */
export interface QuestionReport {
  persons: number
  /** Time of all figures except counts, in ISO 8601; null if it was not recorded */
  as_of: string | null
  facility: number | null
  options: OptionReport[]
  unanswered: number | null
  unanswered_as_of: string | null
  correlation: number | null
  median_seconds: number | null
  flags: Flag[]
}

export interface Statistics {
  version: number
  min_persons: number
  questions: {
    section: number
    position: number
    card_id: number | null
    form: string
    question: string
    report: QuestionReport | null
  }[]
}

interface StatisticsPage extends Statistics {
  next_after: number | null
}

/** A card of a deck that a section may refer to by its `key` */
export interface DeckQuestion {
  key: string
  level: string
  question: string
}

export const TEST_PATH = '/api/content/tests/{slug}'
export const TESTS_KEY = ['author', 'tests'] as const
/** Maximum page size of the route that lists cards; questions are searched in at most `PAGES` pages */
const PAGE = 200
const PAGES = 10

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
      queryFn: () => request<{ preview: Preview }>('GET', `${TEST_PATH}/preview`, { slug }),
      staleTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  /** Statistics of a version; an empty string requests those of the published version */
  statistics: (slug: string, version: string) =>
    queryOptions({
      queryKey: [...TESTS_KEY, slug, 'statistics', version],
      queryFn: () => readStatistics(slug, version),
    }),
  /** Questions of a deck that the user may edit, without drafts; only the first `PAGES` pages of cards are searched */
  questions: (deck: string) =>
    queryOptions({ queryKey: ['author', 'cards', 'questions of', deck], queryFn: () => findQuestions(deck) }),
}

async function readStatistics(slug: string, version: string): Promise<Statistics> {
  const read = (after?: number) =>
    request<StatisticsPage>('GET', `${TEST_PATH}/statistics`, { slug }, undefined, { version, after })
  const first = await read()
  const questions = [...first.questions]
  for (let { next_after } = first; next_after !== null; ) {
    const page = await read(next_after)
    questions.push(...page.questions)
    next_after = page.next_after
  }
  return { ...first, questions }
}

async function findQuestions(deck: string): Promise<DeckQuestion[]> {
  const found: DeckQuestion[] = []
  let after: number | undefined
  for (let page = 0; page < PAGES; page++) {
    const { cards, next_after } = await api.get('/api/content/cards', { query: { deck, limit: PAGE, after } })
    found.push(...cards.filter(({ form, draft }) => form !== null && !draft))
    if (next_after === null) break
    after = next_after
  }
  return found
}

/**
 * Publishes a test, or with `isCheck` returns the effects without publishing.
 * @throws Fault if the request fails
 */
export function publish(slug: string, isCheck: boolean): Promise<Publication> {
  return request('POST', `${TEST_PATH}/publish`, { slug }, {}, isCheck ? { check: true } : {})
}
