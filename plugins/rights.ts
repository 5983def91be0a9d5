import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Kysely } from 'kysely'
import { findSourceOf, findSourcesOfCards, listEditedSources } from '../db/queries/content/rights.js'
import { listLedTeams } from '../db/queries/teams/members.js'
import type { Database } from '../db/types.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../src/domain/accounts/refusals.js'
import { type Editable, type ItemKind, mayEdit } from '../src/domain/content/editing/rights.js'
import { CARD_NOT_FOUND, INVALID_ID_BY_KIND, NOT_FOUND_BY_KIND } from '../src/domain/content/refusals.js'
import { NOT_A_LEAD } from '../src/domain/teams/refusals.js'
import { maySeeTeam, type ViewableTeams } from '../src/domain/teams/teams.js'
import { isInteger, parseRowId } from '../src/domain/text/parameters.js'
import { requireOwnPassword, requireScope } from './auth.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requires an author or administrator and loads `request.editable`; before the body is read. */
    requireAuthor: onRequestAsyncHookHandler
    /**
     * Requires an editor of the item that the first path parameter names, and an author as `requireAuthor` does; before
     * the body is read.
     */
    requireEditor(kind: ItemKind): onRequestAsyncHookHandler
    /** As `requireEditor`, but the item may be missing, because the request creates it. */
    requireEditorOrNew(kind: ItemKind): onRequestAsyncHookHandler
    /**
     * Requires an editor of an item that the body or query names, as a preHandler after `requireAuthor` or
     * `requireEditor`.
     */
    requireEditorOf(kind: ItemKind, keyOf: KeyOf): onRequestAsyncHookHandler
    /** Requires an editor of all cards that the body lists, as a preHandler after `requireAuthor`. */
    requireEditorOfCards(idsOf: KeyOf): onRequestAsyncHookHandler
    /**
     * Requires an administrator or a lead, of the team that the path names if it names one, and loads
     * `request.viewableTeams`.
     */
    requireLead: onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** Sources that the caller may edit; set by `requireAuthor` and `requireEditor`. */
    editable: Editable
    /** Teams that the caller may see; set by `requireLead`. */
    viewableTeams: ViewableTeams
  }
}

/** Maximum number of cards that a body may list */
export const MAX_IDS = 1_000

type KeyOf = (body: never, request: FastifyRequest) => unknown

/**
 * Decides who may edit content and see teams. Editors need the author flag and a row in `source_editors`, leads a current
 * membership with that role; administrators may edit every source and see every team. Each hook refuses callers without
 * a login, tokens without the scope, and users who must change the password first, in this order.
 */
export default fp(
  async (app) => {
    app.decorateRequest('editable')
    app.decorateRequest('viewableTeams')

    async function requireAuthor(request: FastifyRequest): Promise<void> {
      // The hook of a scope has decided already; that of the route asks for more.
      if (request.editable !== undefined) return
      await requireCaller(request)
      if (!request.user.is_admin && !request.user.is_author) throw AUTHORS_ONLY
      request.editable = await findEditable(app.db, request.user)
    }

    async function requireRight(editable: Editable, kind: ItemKind, key: string): Promise<void> {
      const invalid = INVALID_ID_BY_KIND[kind]
      if (invalid !== undefined) parseRowId(key, invalid)
      const sourceId = await findSourceOf(app.db, kind, key)
      if (sourceId === undefined) throw NOT_FOUND_BY_KIND[kind]
      if (!mayEdit(editable, sourceId)) throw NOT_AN_EDITOR
    }

    app.decorate('requireLead', async (request: FastifyRequest) => {
      await requireCaller(request)
      const { id, is_admin } = request.user
      const viewable: ViewableTeams = is_admin ? 'all' : new Set(await listLedTeams(app.db, id))
      if (viewable !== 'all' && viewable.size === 0) throw NOT_A_LEAD
      const named = (request.params as { id?: string }).id
      if (named !== undefined) {
        const teamId = parseRowId(named, 'Ungültige Team-ID')
        if (!maySeeTeam(viewable, teamId ?? 0)) throw NOT_A_LEAD
      }
      request.viewableTeams = viewable
    })
    app.decorate('requireAuthor', requireAuthor)
    app.decorate('requireEditor', (kind: ItemKind) => async (request: FastifyRequest) => {
      await requireAuthor(request)
      const [key = ''] = Object.values(request.params as Record<string, string>)
      await requireRight(request.editable, kind, key)
    })
    app.decorate('requireEditorOrNew', (kind: ItemKind) => async (request: FastifyRequest) => {
      await requireAuthor(request)
      const [key = ''] = Object.values(request.params as Record<string, string>)
      const sourceId = await findSourceOf(app.db, kind, key)
      if (sourceId !== undefined && !mayEdit(request.editable, sourceId)) throw NOT_AN_EDITOR
    })
    app.decorate('requireEditorOf', (kind: ItemKind, keyOf: KeyOf) => async (request: FastifyRequest) => {
      const key = keyOf((request.body ?? {}) as never, request)
      // The schema refuses other types afterwards.
      if (typeof key === 'string' || typeof key === 'number') await requireRight(request.editable, kind, String(key))
    })
    app.decorate('requireEditorOfCards', (idsOf: KeyOf) => async (request: FastifyRequest) => {
      const given = idsOf((request.body ?? {}) as never, request)
      // The schema refuses other types and longer lists afterwards.
      if (!Array.isArray(given) || given.length > MAX_IDS || !given.every((id) => Number.isSafeInteger(id))) return
      const ids = [...new Set<number>(given)]
      const sources = await findSourcesOfCards(app.db, ids.filter(isInteger))
      if (sources.size < ids.length) throw CARD_NOT_FOUND
      for (const sourceId of sources.values()) if (!mayEdit(request.editable, sourceId)) throw NOT_AN_EDITOR
    })
  },
  { name: 'rights', dependencies: ['auth'] },
)

/** Returns the sources that the user may edit; none without the author flag. */
export async function findEditable(
  db: Kysely<Database>,
  { id, is_admin, is_author }: { id: number; is_admin: boolean; is_author: boolean },
): Promise<Editable> {
  if (is_admin) return 'all'
  return new Set(is_author ? await listEditedSources(db, id) : [])
}

async function requireCaller(request: FastifyRequest): Promise<void> {
  requireScope(request)
  await requireOwnPassword(request)
}
