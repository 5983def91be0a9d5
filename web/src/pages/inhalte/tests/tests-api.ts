import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { type Answer, api } from '../../../api/client.js'
import { Refused } from '../../../api/faults.js'
import type { Question } from '../../tests/types.js'
import { ask } from '../content-api.js'
import type { Flag, OptionReport } from './report-words.js'
import { nameTestFields } from './test-words.js'

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

/** What first attempts tell about a question; null hides what would tell about few persons. */
export interface QuestionReport {
  persons: number
  facility: number | null
  options: OptionReport[]
  unanswered: number | null
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

/** A card that a section may name, as far as it is known */
export interface DeckQuestion {
  key: string
  level: string
  question: string
}

export const TEST_PATH = '/api/content/tests/{slug}'
/** Key of all queries of editors about tests */
export const TESTS_KEY = ['author', 'tests'] as const
/** Largest page of cards, and the number of pages that are read to count questions */
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
      // The editor holds the definition; a newer one is found when it is saved.
      refetchOnWindowFocus: false,
    }),
  /** An attempt as a learner would see it; each request may draw others. */
  preview: (slug: string) =>
    queryOptions({
      queryKey: [...TESTS_KEY, slug, 'preview'],
      queryFn: () => askTest<{ preview: Preview }>('GET', `${TEST_PATH}/preview`, { slug }),
      staleTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  /** @param version empty for the published one */
  statistics: (slug: string, version: string) =>
    queryOptions({
      queryKey: [...TESTS_KEY, slug, 'statistics', version],
      queryFn: () => readStatistics(slug, version),
    }),
  /** Questions of a deck that the user edits */
  questions: (deck: string) =>
    queryOptions({ queryKey: ['author', 'cards', 'questions of', deck], queryFn: () => findQuestions(deck) }),
}

async function readStatistics(slug: string, version: string): Promise<Statistics> {
  const read = (after?: number) =>
    askTest<StatisticsPage>('GET', `${TEST_PATH}/statistics`, { slug }, undefined, { version, after })
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

/** Sends a request about a test. @throws Fault that names fields as the page does */
export async function askTest<T>(...request: Parameters<typeof ask>): Promise<T> {
  try {
    return await ask<T>(...request)
  } catch (error) {
    if (error instanceof Refused) error.message = nameTestFields(error.message)
    throw error
  }
}

/** Checks what a publication would mean, or publishes. @throws Fault */
export function publish(slug: string, isCheck: boolean): Promise<Publication> {
  return askTest('POST', `${TEST_PATH}/publish`, { slug }, {}, isCheck ? { check: true } : {})
}
