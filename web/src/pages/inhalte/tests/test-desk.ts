import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { hasCode, isRefused, Refused } from '../../../api/faults.js'
import type { Body } from '../../../api/types.js'
import { Desk } from '../../../editor/desk.svelte.js'
import type { Stored } from '../../../editor/writing.js'
import { slugFrom } from './slug.js'
import { type EditedTest, type Section, TEST_PATH, TESTS_KEY, testQueries } from './tests-api.js'

/** Fields of a definition that is being edited; an empty number field is null. */
export interface TestFields
  extends Pick<
    EditedTest,
    | 'name'
    | 'description'
    | 'introduction'
    | 'multiple'
    | 'attempts'
    | 'time_limit_minutes'
    | 'shuffle'
    | 'pages'
    | 'access'
    | 'review'
    | 'review_when'
    | 'opens'
    | 'closes'
  > {
  pass_percent: number | null
  wait_minutes: number | null
  sections: Section[]
}

type Definition = Body<typeof TEST_PATH, 'put'>

export type TestDesk = Desk<TestFields>

export const NEW_SECTION: Section = { deck: '', level: null, cards: null, draw: null }

const EMPTY: TestFields = {
  ...{ name: '', description: '', introduction: '', pass_percent: 80, multiple: 'partial', attempts: 3 },
  ...{ wait_minutes: 0, time_limit_minutes: null, shuffle: true, pages: 'one', access: 'open' },
  ...{ review: 'explanations', review_when: 'passed_or_last', opens: null, closes: null, sections: [NEW_SECTION] },
}

/** Path segment of the page for a new test; a test therefore cannot have this slug */
const NEW = 'neu'
const TRIES = 20

function fieldsOf(test: EditedTest): TestFields {
  const { name, description, introduction, pass_percent, multiple, attempts, wait_minutes, time_limit_minutes } = test
  const { shuffle, pages, access, review, review_when, opens, closes, sections } = test
  return {
    ...{ name, description, introduction, pass_percent, multiple, attempts, wait_minutes, time_limit_minutes, shuffle },
    ...{ pages, access, review, review_when, opens, closes, sections },
  }
}

const storedOf = (test: EditedTest): Stored<TestFields> => ({ version: test.version, fields: fieldsOf(test) })

function bodyOf({ pass_percent, wait_minutes, ...fields }: TestFields): Definition {
  return {
    ...fields,
    ...(pass_percent !== null && { pass_percent }),
    ...(wait_minutes !== null && { wait_minutes }),
  }
}

async function load(slug: string): Promise<EditedTest> {
  return (await api.get(TEST_PATH, { path: { slug } })).test
}

async function put(slug: string, fields: TestFields, owner: { version: number } | { source_id: number }) {
  const body = { ...bodyOf(fields), ...owner }
  return (await api.put(TEST_PATH, { path: { slug }, body })).test
}

export function openTest(user: number, test: EditedTest, onsaved: (test: EditedTest) => void): TestDesk {
  return new Desk<TestFields>({
    user,
    item: `test ${test.slug}`,
    stored: storedOf(test),
    save: async (fields, version) => {
      const saved = await put(test.slug, fields, { version })
      onsaved(saved)
      return storedOf(saved)
    },
    load: async () => storedOf(await load(test.slug)),
  })
}

/** Creates the editing session of a new test. The user may choose another source until the test is saved. */
export function newTest(user: number, sourceOf: () => number, onsaved: (test: EditedTest) => void): TestDesk {
  let created: EditedTest | undefined
  /** Slug of a request that received no response, but may have created the test */
  let lost: string | undefined
  const stored = { version: 0, fields: EMPTY }
  return new Desk<TestFields>({
    user,
    item: 'new test',
    stored,
    save: async (fields) => {
      const { slug, version } = created ?? {}
      created = slug === undefined ? await create(fields) : await put(slug, fields, { version: version as number })
      onsaved(created)
      return storedOf(created)
    },
    load: async () => (created === undefined ? stored : storedOf(await load(created.slug))),
  })

  async function create(fields: TestFields): Promise<EditedTest> {
    const source_id = sourceOf()
    const slug = slugFrom(fields.name)
    for (let number = 1; ; number++) {
      const tried = number === 1 && slug !== NEW ? slug : `${slug}-${Math.max(2, number)}`
      try {
        return await put(tried, fields, { source_id })
      } catch (error) {
        if (!(error instanceof Refused)) lost = tried
        else if (isTaken(error) && tried === lost) return put(tried, fields, { version: (await load(tried)).version })
        if (!isTaken(error) || number === TRIES) throw error
      }
    }
  }
}

/** Returns whether the error means that a test with the slug already exists. */
function isTaken(error: unknown): boolean {
  const codes = ['test_version_missing', 'version_outdated', 'other_source', 'not_editable']
  return codes.some((code) => hasCode(error, code)) || isRefused(error, 403)
}

export function testSaved(client: QueryClient, test: EditedTest): void {
  client.setQueryData(testQueries.test(test.slug).queryKey, { test })
  void client.invalidateQueries({ queryKey: [...TESTS_KEY, 'list'] })
}
