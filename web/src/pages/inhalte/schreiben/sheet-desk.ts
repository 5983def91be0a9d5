import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import type { Body } from '../../../api/types.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { Stored } from '../../../editor/writing.js'
import { type AuthorSheet, contentQueries } from '../content-queries.js'
import { nextLanguage } from '../gruppe/group.js'
import { invalidateLearnerQueries } from './invalidate-learner-queries.js'

export interface SheetFields {
  title: string
  category: string
  content_md: string
  draft: boolean
  lang: string
  /** Slug of the original; empty if there is none */
  translation_of: string
}

export type SheetDesk = Desk<SheetFields>

const PATH = '/api/content/sheets/{slug}'

function storedOf(sheet: AuthorSheet): Stored<SheetFields> {
  const { version, title, category, content_md, draft, lang, translation_of } = sheet
  return { version, fields: { title, category, content_md, draft, lang, translation_of: translation_of ?? '' } }
}

const bodyOf = ({ translation_of, ...fields }: SheetFields) => ({ ...fields, translation_of: translation_of || null })

const routes = {
  storedOf,
  changesOf: (fields: SheetFields, sheet: AuthorSheet) => changedIn(bodyOf(fields), bodyOf(storedOf(sheet).fields)),
  patch: async ({ slug }: AuthorSheet, body: Body<typeof PATH, 'patch'>) =>
    (await api.patch(PATH, { path: { slug }, body })).sheet,
  load: async ({ slug }: AuthorSheet) => (await api.get(PATH, { path: { slug } })).sheet,
}

export function openSheet(user: number, sheet: AuthorSheet, onsaved: (sheet: AuthorSheet) => void): SheetDesk {
  return createDesk({ ...routes, user, item: `sheet ${sheet.slug}`, object: sheet, onsaved })
}

/** @param original original of the new sheet, whose text the form begins with */
export function newSheet(
  user: number,
  source_id: number,
  original: AuthorSheet | undefined,
  onsaved: (sheet: AuthorSheet) => void,
): SheetDesk {
  const { title, category, content_md } = original ?? { title: '', category: '', content_md: '' }
  return createDesk({
    ...routes,
    user,
    item: original === undefined ? `new sheet ${source_id}` : `new variant of sheet ${original.slug}`,
    fields: {
      title,
      category,
      content_md,
      draft: original !== undefined,
      lang: original === undefined ? 'de' : nextLanguage(original),
      translation_of: original?.slug ?? '',
    },
    create: async (fields, client_id) =>
      (await api.post('/api/content/sheets', { body: { source_id, client_id, ...bodyOf(fields) } })).sheet,
    onsaved,
  })
}

export function sheetSaved(client: QueryClient, sheet: AuthorSheet): void {
  const { queryKey } = contentQueries.sheet(sheet.slug)
  client.setQueryData(queryKey, { sheet })
  void client.invalidateQueries({ queryKey: [...queryKey, 'versions'] })
  void client.invalidateQueries({ queryKey: ['author', 'comparison', 'sheet'] })
  invalidateLearnerQueries(client)
}
