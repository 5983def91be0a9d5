import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import type { Body } from '../../../api/types.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { Stored } from '../../../editor/writing.js'
import { type AuthorSheet, contentQueries } from '../content-queries.js'
import { invalidateLearnerQueries } from './invalidate-learner-queries.js'

export interface SheetFields {
  title: string
  category: string
  content_md: string
  draft: boolean
}

export type SheetDesk = Desk<SheetFields>

const PATH = '/api/content/sheets/{slug}'

function storedOf({ version, title, category, content_md, draft }: AuthorSheet): Stored<SheetFields> {
  return { version, fields: { title, category, content_md, draft } }
}

const routes = {
  storedOf,
  changesOf: (fields: SheetFields, sheet: AuthorSheet) => changedIn(fields, storedOf(sheet).fields),
  patch: async ({ slug }: AuthorSheet, body: Body<typeof PATH, 'patch'>) =>
    (await api.patch(PATH, { path: { slug }, body })).sheet,
  load: async ({ slug }: AuthorSheet) => (await api.get(PATH, { path: { slug } })).sheet,
}

export function openSheet(user: number, sheet: AuthorSheet, onsaved: (sheet: AuthorSheet) => void): SheetDesk {
  return createDesk({ ...routes, user, item: `sheet ${sheet.slug}`, object: sheet, onsaved })
}

export function newSheet(user: number, source_id: number, onsaved: (sheet: AuthorSheet) => void): SheetDesk {
  return createDesk({
    ...routes,
    user,
    item: `new sheet ${source_id}`,
    fields: { title: '', category: '', content_md: '', draft: false },
    create: async (fields, client_id) =>
      (await api.post('/api/content/sheets', { body: { source_id, client_id, ...fields } })).sheet,
    onsaved,
  })
}

export function sheetSaved(client: QueryClient, sheet: AuthorSheet): void {
  const { queryKey } = contentQueries.sheet(sheet.slug)
  client.setQueryData(queryKey, { sheet })
  void client.invalidateQueries({ queryKey: [...queryKey, 'versions'] })
  invalidateLearnerQueries(client)
}
