import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { type EditedSheetSummary, findEditedSheet, listEditedSheets } from '../../db/queries/content/editing/sheets.js'
import { listVersions } from '../../db/queries/content/editing/versions.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { parseLabel, parseLanguage, parseOriginal, parseSheetText } from '../../src/domain/content/editing/texts.js'
import {
  CHEATSHEET_NOT_FOUND,
  CLIENT_ID_TAKEN,
  CONTENT_CHANGES,
  NotEditable,
  SOURCE_NOT_FOUND,
  VERSION_NOT_FOUND,
  VersionOutdated,
} from '../../src/domain/content/refusals.js'
import { DEFAULT_LANGUAGE } from '../../src/domain/content/translations.js'
import { cutPage } from '../../src/domain/page.js'
import { InvalidField } from '../../src/domain/refusal.js'
import { checkStorable, isInteger, parseRowId } from '../../src/domain/text/parameters.js'
import { TOO_LARGE } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { changeSheet, createSheet, restoreSheet, type SheetChange } from '../../src/services/content/editing/sheets.js'
import {
  EditedSheetList,
  EditedSheetResponse,
  NewSheetBody,
  RestoreBody,
  SheetBody,
  SheetParams,
  SheetsQuery,
  SheetVersionParams,
  SheetVersions,
  VersionsQuery,
} from './sheet-schemas.js'

const BODY_BYTES = 2 * 2 ** 20
const READING = [AUTHORS_ONLY, NOT_AN_EDITOR, CHEATSHEET_NOT_FOUND]
const WRITING = [...READING, new NotEditable(null), new VersionOutdated(2)]

const sheets: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      onRequest: app.requireAuthor,
      config: { isExpensive: true },
      schema: {
        operationId: 'listEditedSheets',
        summary: 'The cheat sheets that the caller may edit, by category and title',
        description: 'Administrators get all, including those of the content folder.',
        tags: ['content'],
        querystring: SheetsQuery,
        response: responses(EditedSheetList, [AUTHORS_ONLY]),
      },
    },
    async ({ query, editable }) => {
      const { limit, source: sourceId, after, state } = query
      // No source or sheet has an id outside the integer range, so the result is empty.
      if (!isInteger(sourceId ?? 0) || !isInteger(after ?? 0)) return { sheets: [], next_after: null }
      const found = await listEditedSheets(
        app.db,
        { editable, sourceId, state, q: query.q || undefined },
        after,
        limit + 1,
      )
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { sheets: page.map(present), next_after: next }
    },
  )

  app.post(
    '/',
    {
      onRequest: app.requireAuthor,
      preHandler: app.requireEditorOf('source', 'source_id', (body: { source_id?: unknown }) => body.source_id),
      bodyLimit: BODY_BYTES,
      schema: {
        operationId: 'createSheet',
        summary: 'Create a cheat sheet',
        description: 'Its slug is derived from the title and never changes.',
        tags: ['content'],
        body: NewSheetBody,
        response: responses(EditedSheetResponse, [
          ...[
            AUTHORS_ONLY,
            NOT_AN_EDITOR,
            SOURCE_NOT_FOUND.at('source_id'),
            CLIENT_ID_TAKEN,
            CONTENT_CHANGES,
            TOO_LARGE,
          ],
        ]),
      },
    },
    async ({ body, user, editable }) => {
      checkStorable('client_id', body.client_id)
      const sheet = await createSheet(
        app.db,
        { id: user.id, editable },
        {
          source_id: body.source_id,
          title: parseLabel('title', body.title),
          category: parseLabel('category', body.category),
          content_md: parseSheetText('content_md', body.content_md),
          draft: body.draft ?? false,
          lang: parseLanguage(body.lang ?? DEFAULT_LANGUAGE),
          translation_of: parseOriginal(body.translation_of),
          client_id: body.client_id,
        },
      )
      return { sheet: present(sheet) }
    },
  )

  app.get(
    '/:slug',
    {
      onRequest: app.requireEditor('sheet'),
      schema: {
        operationId: 'getEditedSheet',
        summary: 'A cheat sheet with its version, even if it is a draft or archived',
        tags: ['content'],
        params: SheetParams,
        response: responses(EditedSheetResponse, READING),
      },
    },
    async ({ params }) => ({ sheet: present(await findSheet(params.slug)) }),
  )

  app.patch(
    '/:slug',
    {
      onRequest: app.requireEditor('sheet'),
      bodyLimit: BODY_BYTES,
      schema: {
        operationId: 'changeSheet',
        summary: 'Change, archive, restore or publish a cheat sheet',
        description: 'A changed text becomes a new version and requires `version`, the number of the current one.',
        tags: ['content'],
        params: SheetParams,
        body: SheetBody,
        response: responses(EditedSheetResponse, [...WRITING, TOO_LARGE]),
      },
    },
    async ({ body: { version, ...body }, params, user }) => {
      const change = parseChange(body)
      const hasText = [change.title, change.category, change.content_md].some((text) => text !== undefined)
      if (hasText && version === undefined) throw new InvalidField('version', 'fehlt')
      return { sheet: present(await changeSheet(app.db, user.id, params.slug, change, version)) }
    },
  )

  app.get(
    '/:slug/versions',
    {
      onRequest: app.requireEditor('sheet'),
      config: { isExpensive: true },
      schema: {
        operationId: 'listSheetVersions',
        summary: 'The texts of a cheat sheet, newest first',
        description: 'The first version and at least the latest 50 are kept.',
        tags: ['content'],
        params: SheetParams,
        querystring: VersionsQuery,
        response: responses(SheetVersions, READING),
      },
    },
    async ({ params, query }) => {
      const { limit, after: before = query.before } = query
      const { id } = await findSheet(params.slug)
      const versions = await listVersions(app.db, 'cheatsheets', id, before, limit)
      const last = versions.at(-1)?.version ?? 1
      const next = last > 1 ? last : null
      return { versions, next_after: next, next_before: next }
    },
  )

  app.post(
    '/:slug/versions/:version/restore',
    {
      onRequest: app.requireEditor('sheet'),
      schema: {
        operationId: 'restoreSheetVersion',
        summary: 'Make a former text of a cheat sheet the newest version',
        tags: ['content'],
        params: SheetVersionParams,
        body: RestoreBody,
        response: responses(EditedSheetResponse, [...WRITING, VERSION_NOT_FOUND]),
      },
    },
    async ({ params, body, user }) => {
      const version = parseRowId(params.version, 'Ungültige Fassung')
      if (version === undefined) throw VERSION_NOT_FOUND
      return { sheet: present(await restoreSheet(app.db, user.id, params.slug, version, body.version)) }
    },
  )

  async function findSheet(slug: string) {
    const sheet = await findEditedSheet(app.db, slug)
    if (sheet === undefined) throw CHEATSHEET_NOT_FOUND
    return sheet
  }
}

function parseChange({
  title,
  category,
  content_md,
  draft,
  archived,
  lang,
  translation_of,
}: Omit<Static<typeof SheetBody>, 'version'>): SheetChange {
  return {
    ...(title !== undefined && { title: parseLabel('title', title) }),
    ...(category !== undefined && { category: parseLabel('category', category) }),
    ...(content_md !== undefined && { content_md: parseSheetText('content_md', content_md) }),
    ...(draft !== undefined && { draft }),
    ...(archived !== undefined && { archived }),
    ...(lang !== undefined && { lang: parseLanguage(lang) }),
    ...(translation_of !== undefined && { translation_of: parseOriginal(translation_of) }),
  }
}

function present<T extends EditedSheetSummary>({ edited, ...sheet }: T) {
  return { ...sheet, changed_here: edited }
}

export default sheets
