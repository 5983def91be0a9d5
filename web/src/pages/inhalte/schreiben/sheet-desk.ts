import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import { Desk } from '../../../editor/desk.svelte.js'
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
const NAMES = ['title', 'category', 'content_md', 'draft'] as const

function storedOf({ version, title, category, content_md, draft }: AuthorSheet): Stored<SheetFields> {
  return { version, fields: { title, category, content_md, draft } }
}

function bodyOf(fields: SheetFields, before: AuthorSheet): Partial<SheetFields> {
  return Object.fromEntries(NAMES.filter((name) => fields[name] !== before[name]).map((name) => [name, fields[name]]))
}

async function patch(before: AuthorSheet, version: number, fields: SheetFields): Promise<AuthorSheet> {
  const body = { version, ...bodyOf(fields, before) }
  const { sheet } = await api.patch(PATH, { path: { slug: before.slug }, body })
  return { ...before, ...sheet }
}

export function openSheet(user: number, sheet: AuthorSheet, onsaved: (sheet: AuthorSheet) => void): SheetDesk {
  // Latest sheet that the service has returned. Only fields that differ from this sheet are sent.
  let known = sheet
  return new Desk<SheetFields>({
    user,
    item: `sheet ${sheet.slug}`,
    stored: storedOf(sheet),
    save: async (fields, version) => {
      known = await patch(known, version, fields)
      onsaved(known)
      return storedOf(known)
    },
    load: async () => {
      known = { ...known, ...(await api.get(PATH, { path: { slug: sheet.slug } })).sheet }
      return storedOf(known)
    },
  })
}

export function newSheet(user: number, source_id: number, onsaved: (sheet: AuthorSheet) => void): SheetDesk {
  const stored = { version: 0, fields: { title: '', category: '', content_md: '', draft: false } }
  let created: AuthorSheet | undefined
  return new Desk<SheetFields>({
    user,
    item: `new sheet ${source_id}`,
    stored,
    save: async (fields, version, client_id) => {
      if (created !== undefined) created = await patch(created, version, fields)
      else {
        const body = { source_id, client_id, ...fields }
        const answer = await api.post('/api/content/sheets', { body })
        const sheet = { ...fields, ...answer.sheet }
        // An earlier request whose response was lost may have created the sheet with an older text. In this case, the
        // text is updated.
        const isOlder = Object.keys(bodyOf(fields, sheet)).length > 0
        created = isOlder ? await patch(sheet, sheet.version, fields) : sheet
      }
      onsaved(created)
      return storedOf(created)
    },
    load: async () => (created === undefined ? stored : storedOf(created)),
  })
}

export function sheetSaved(client: QueryClient, sheet: AuthorSheet): void {
  const { queryKey } = contentQueries.sheet(sheet.slug)
  client.setQueryData(queryKey, { sheet })
  void client.invalidateQueries({ queryKey: [...queryKey, 'versions'] })
  invalidateLearnerQueries(client)
}
