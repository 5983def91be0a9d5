import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { hasCode, isRefused, Refused } from '../../../api/faults.js'
import type { Body } from '../../../api/types.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { Stored } from '../../../editor/writing.js'
import { nextLanguage } from '../gruppe/group.js'
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
  lang: string
  /** Slug of the original; empty if there is none */
  translation_of: string
  pass_percent: number | null
  wait_minutes: number | null
  sections: Section[]
}

type Definition = Body<typeof TEST_PATH, 'put'>

export type TestDesk = Desk<TestFields>

export const NEW_SECTION: Section = { deck: '', level: null, cards: null, draw: null }

const EMPTY: TestFields = {
  lang: 'de',
  translation_of: '',
  name: '',
  description: '',
  introduction: '',
  pass_percent: 80,
  multiple: 'partial',
  attempts: 3,
  wait_minutes: 0,
  time_limit_minutes: null,
  shuffle: true,
  pages: 'one',
  access: 'open',
  review: 'explanations',
  review_when: 'passed_or_last',
  opens: null,
  closes: null,
  sections: [NEW_SECTION],
}

/** Path segment of the page for a new test; a test therefore cannot have this slug */
const NEW = 'neu'
const TRIES = 20

function fieldsOf(test: EditedTest): TestFields {
  return {
    lang: test.lang,
    translation_of: test.translation_of ?? '',
    name: test.name,
    description: test.description,
    introduction: test.introduction,
    pass_percent: test.pass_percent,
    multiple: test.multiple,
    attempts: test.attempts,
    wait_minutes: test.wait_minutes,
    time_limit_minutes: test.time_limit_minutes,
    shuffle: test.shuffle,
    pages: test.pages,
    access: test.access,
    review: test.review,
    review_when: test.review_when,
    opens: test.opens,
    closes: test.closes,
    sections: test.sections,
  }
}

const storedOf = (test: EditedTest): Stored<TestFields> => ({ version: test.version, fields: fieldsOf(test) })

function bodyOf({ translation_of, ...fields }: TestFields): Definition {
  // A variant takes its settings and sections from the original and accepts no others.
  if (translation_of !== '') {
    const { name, description, introduction, lang } = fields
    return { name, description, introduction, lang, translation_of }
  }
  const { pass_percent, wait_minutes, ...rest } = fields
  return {
    ...rest,
    translation_of: null,
    ...(pass_percent !== null && { pass_percent }),
    ...(wait_minutes !== null && { wait_minutes }),
  }
}

/** Returns the whole definition if a field that it contains differs. */
function changesOf(fields: TestFields, test: EditedTest): Definition | undefined {
  const body = bodyOf(fields)
  return changedIn(body, bodyOf(fieldsOf(test))) && body
}

async function put(slug: string, body: Definition): Promise<EditedTest> {
  return (await api.put(TEST_PATH, { path: { slug }, body })).test
}

async function load({ slug }: { slug: string }): Promise<EditedTest> {
  return (await api.get(TEST_PATH, { path: { slug } })).test
}

const routes = { storedOf, changesOf, patch: ({ slug }: EditedTest, body: Definition) => put(slug, body), load }

export function openTest(user: number, test: EditedTest, onsaved: (test: EditedTest) => void): TestDesk {
  return createDesk({ ...routes, user, item: `test ${test.slug}`, object: test, onsaved })
}

/**
 * Creates the editing session of a new test. The user may choose another source until the test is saved.
 * @param original original of the new test, whose texts the form begins with
 */
export function newTest(
  user: number,
  sourceOf: () => number,
  original: EditedTest | undefined,
  onsaved: (test: EditedTest) => void,
): TestDesk {
  /** Slug of a request that received no response, but may have created the test */
  let lost: string | undefined
  const group = original && { lang: nextLanguage(original), translation_of: original.slug }
  const fields = original === undefined ? EMPTY : { ...fieldsOf(original), ...group }
  return createDesk({
    ...routes,
    user,
    item: original === undefined ? 'new test' : `new variant of test ${original.slug}`,
    fields,
    create,
    onsaved,
  })

  async function create(fields: TestFields): Promise<EditedTest> {
    const body = { ...bodyOf(fields), source_id: sourceOf() }
    const slug = slugFrom(fields.name)
    for (let number = 1; ; number++) {
      const tried = number === 1 && slug !== NEW ? slug : `${slug}-${Math.max(2, number)}`
      try {
        return await put(tried, body)
      } catch (error) {
        if (!(error instanceof Refused)) lost = tried
        else if (isTaken(error) && tried === lost) return load({ slug: tried })
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
  void client.invalidateQueries({ queryKey: ['author', 'comparison', 'test'] })
  void client.invalidateQueries({ queryKey: [...TESTS_KEY, 'list'] })
}
