import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { listDifficultCards, renewDifficulties } from '../../db/queries/content/editing/difficult.js'
import { type ChangesFilter, type ListedChange, listChanges } from '../../db/queries/content/editing/list-changes.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { SOURCE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import { toPlainText } from '../../src/domain/search/plain-text.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { isStorable, shorten } from '../../src/domain/text/text.js'
import { responses } from '../../src/http/schemas.js'
import { mapInTurns } from '../../src/services/content/turns.js'
import { ChangeList, ChangesQuery, DifficultCards, DifficultQuery } from './change-schemas.js'
import { SourceParams } from './schemas.js'

const MAX_TITLE = 120

const changes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/changes',
    {
      onRequest: app.requireAuthor,
      config: { isExpensive: true },
      schema: {
        operationId: 'listChanges',
        summary: 'The changes of all sources that the caller edits, newest first',
        description: 'Administrators also see the imports of the content folder.',
        tags: ['content'],
        querystring: ChangesQuery,
        response: responses(ChangeList, [AUTHORS_ONLY]),
      },
    },
    ({ query, editable }) => list(query, { editable }),
  )

  app.get(
    '/sources/:id/changes',
    {
      onRequest: app.requireEditor('source'),
      config: { isExpensive: true },
      schema: {
        operationId: 'listSourceChanges',
        summary: 'The changes of a source, newest first',
        tags: ['content'],
        params: SourceParams,
        querystring: ChangesQuery,
        response: responses(ChangeList, [AUTHORS_ONLY, NOT_AN_EDITOR, SOURCE_NOT_FOUND]),
      },
    },
    ({ params, query, editable }) => list(query, { editable, sourceId: parseSourceId(params.id) }),
  )

  app.get(
    '/sources/:id/difficult',
    {
      onRequest: app.requireEditor('source'),
      config: { isExpensive: true },
      schema: {
        operationId: 'listDifficultCards',
        summary: 'The cards of a source that many persons forget or report',
        description: `Counts are renewed when enough further persons have forgotten the card and as many have known it
since the last renewal, so that the difference of two responses reveals nothing about fewer persons.`,
        tags: ['content'],
        params: SourceParams,
        querystring: DifficultQuery,
        response: responses(DifficultCards, [AUTHORS_ONLY, NOT_AN_EDITOR, SOURCE_NOT_FOUND]),
      },
    },
    async ({ params, query }) => {
      const sourceId = parseSourceId(params.id)
      const options = { minPersons: app.config.statisticsMinPersons, now: app.clock.now() }
      await renewDifficulties(app.db, sourceId, options)
      const cards = await listDifficultCards(app.db, sourceId, query)
      return {
        cards: cards.map(({ deck_slug, deck_name, ...card }) => ({
          ...card,
          deck: { slug: deck_slug, name: deck_name },
        })),
      }
    },
  )

  async function list(query: Static<typeof ChangesQuery>, filter: ChangesFilter) {
    const { limit, after: before = query.before } = query
    const by = query.by || undefined
    const isKnown = by === undefined || isStorable(by)
    const found = isKnown ? await listChanges(app.db, { ...filter, by, before }, limit + 1) : []
    const { page, next } = cutPage(found, limit, ({ id }) => id)
    // In turns, because the titles of cards are parsed as Markdown.
    return { changes: await mapInTurns(page, describeChange), next_after: next, next_before: next }
  }
}

function describeChange(change: ListedChange): Static<typeof ChangeList>['changes'][number] {
  const { source_id, source_kind, source_name, deck_slug, deck_name, is_undoable, title, summary, ...rest } = change
  const kind = change.card_id !== null ? 'card' : change.sheet_slug !== null ? 'sheet' : null
  return {
    ...rest,
    source: source_id === null ? null : { id: source_id, kind: source_kind ?? '', name: source_name ?? '' },
    kind,
    title: title === null ? null : shorten(kind === 'card' ? toPlainText(title) : title, MAX_TITLE),
    deck: deck_slug === null ? null : { slug: deck_slug, name: deck_name ?? '' },
    summary: summary as Record<string, unknown> | null,
    can_undo: is_undoable && change.undone_by === null,
  }
}

function parseSourceId(text: string): number {
  const id = parseRowId(text, 'Ungültige Quellen-ID')
  if (id === undefined) throw SOURCE_NOT_FOUND
  return id
}

export default changes
