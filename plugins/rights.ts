import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Kysely } from 'kysely'
import { findOversight, isResponsible, type Reader } from '../db/queries/assignments/assignments.js'
import { listOverseen } from '../db/queries/assignments/occurrences.js'
import { concernsMembers } from '../db/queries/assignments/plan.js'
import { findSourceOf, findSourcesOfCards, listEditedSources } from '../db/queries/content/rights.js'
import { listLedTeams } from '../db/queries/teams/members.js'
import type { Database } from '../db/types.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../src/domain/accounts/refusals.js'
import {
  MAY_NOT_ASSIGN,
  NOT_AN_OVERSEER,
  NOT_RESPONSIBLE,
  NOT_YOUR_ASSIGNMENT,
  NOT_YOUR_TEAM,
} from '../src/domain/assignments/refusals.js'
import { type Editable, type ItemKind, mayEdit } from '../src/domain/content/editing/rights.js'
import { CARD_NOT_FOUND, INVALID_ID_BY_KIND, NOT_FOUND_BY_KIND } from '../src/domain/content/refusals.js'
import { NOT_A_LEAD } from '../src/domain/teams/refusals.js'
import { maySeeTeam, type ViewableTeams } from '../src/domain/teams/teams.js'
import { isInteger, parseRowId } from '../src/domain/text/parameters.js'
import type { Overseen } from '../src/services/assignments/oversee.js'
import { requireOwnPassword, requireScope } from './auth.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requires an author or administrator and loads `request.editable`. Runs before the body is read. */
    requireAuthor: onRequestAsyncHookHandler
    /**
     * Requires what `requireAuthor` requires, and an editor of the item that the first path parameter names. Runs
     * before the body is read.
     */
    requireEditor(kind: ItemKind): onRequestAsyncHookHandler
    /** Like `requireEditor`, but the item may be missing, because the request creates it. */
    requireEditorOrNew(kind: ItemKind): onRequestAsyncHookHandler
    /**
     * Requires an editor of the item with the key that `keyOf` reads from the request. Does nothing if that key is
     * absent or of another type. Runs after `requireAuthor` or `requireEditor`, which load `request.editable`.
     */
    requireEditorOf(kind: ItemKind, keyOf: KeyOf): onRequestAsyncHookHandler
    /** Requires an editor of all cards that the body lists; allows invalid lists. Runs after `requireAuthor`. */
    requireEditorOfCards(idsOf: KeyOf): onRequestAsyncHookHandler
    /**
     * Requires an administrator or a team lead and loads `request.viewableTeams`. If the path contains a team id, a
     * caller who is not an administrator must lead that team.
     */
    requireLead: onRequestAsyncHookHandler
    /**
     * Requires an administrator or an author and loads `request.editable` and `request.viewableTeams`. If the path
     * contains an assignment id, an author who is not an administrator must have created that assignment.
     */
    requireAssigner: onRequestAsyncHookHandler
    /**
     * Requires the right to assign the content of the body to its audience; allows invalid bodies. A preHandler; runs
     * after `requireAssigner`.
     */
    requireAssignable: preHandlerAsyncHookHandler
    /**
     * Requires an administrator, an author, a team lead or a user who is responsible for an assignment, and loads
     * `request.assignmentReader`.
     */
    requireAssignmentReader: onRequestAsyncHookHandler
    /**
     * Requires the responsible person of the assignment or, if the assignment is mandatory, a lead of at least one
     * person in it, and loads `request.overseen`.
     */
    requireOverseer: onRequestAsyncHookHandler
    /** Requires the responsible person of the occurrence whose id is in the path. */
    requireResponsible: onRequestAsyncHookHandler
    /**
     * Requires, for every occurrence of the body, the responsible person or, if the assignment is mandatory, a lead of
     * the person. For an invalid body, requires the responsible person of any assignment or a lead of any team. A
     * preHandler.
     */
    requireInstructor: preHandlerAsyncHookHandler
  }
  interface FastifyRequest {
    /** Sources that the caller may edit; set by `requireAuthor`, the `requireEditor…` hooks and `requireAssigner` */
    editable: Editable
    /** Teams that the caller may see; set by `requireLead` and `requireAssigner` */
    viewableTeams: ViewableTeams
    /** Rights of the caller to read assignments; set by `requireAssignmentReader` */
    assignmentReader: Reader
    /** Assignment of the path and the teams that the caller leads; set by `requireOverseer` */
    overseen: Overseen
  }
}

/** Maximum number of cards that a body may list */
export const MAX_IDS = 1_000

type KeyOf = (body: never, request: FastifyRequest) => unknown

/**
 * Adds the hooks that check the rights to content, teams and assignments. Editors need the author flag and a row in
 * `source_editors`; leads need a current membership with the role `lead`. Administrators may edit every source and see
 * every team, but see the state of persons only as their lead or responsible person. Each hook, except the preHandlers
 * that run after another hook, refuses callers without a login, tokens without the scope of the route, and users who
 * must change the password first, in this order.
 */
export default fp(
  async (app) => {
    app.decorateRequest('editable')
    app.decorateRequest('viewableTeams')
    app.decorateRequest('assignmentReader')
    app.decorateRequest('overseen')

    async function requireAuthor(request: FastifyRequest): Promise<void> {
      // Already set if another hook of the same request has called this function.
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
    decorateAssignmentRights(app)
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
      // The validation refuses other types after this hook.
      if (typeof key === 'string' || typeof key === 'number') await requireRight(request.editable, kind, String(key))
    })
    app.decorate('requireEditorOfCards', (idsOf: KeyOf) => async (request: FastifyRequest) => {
      const given = idsOf((request.body ?? {}) as never, request)
      // The validation refuses other types and longer lists after this hook.
      if (!Array.isArray(given) || given.length > MAX_IDS || !given.every((id) => Number.isSafeInteger(id))) return
      const ids = [...new Set<number>(given)]
      const sources = await findSourcesOfCards(app.db, ids.filter(isInteger))
      if (sources.size < ids.length) throw CARD_NOT_FOUND
      for (const sourceId of sources.values()) if (!mayEdit(request.editable, sourceId)) throw NOT_AN_EDITOR
    })
  },
  { name: 'rights', dependencies: ['auth'] },
)

/** Adds the hooks that check the rights to create assignments and to see the state of persons. */
function decorateAssignmentRights(app: FastifyInstance): void {
  app.decorate('requireAssigner', async (request: FastifyRequest) => {
    await requireCaller(request)
    const { id, is_admin, is_author } = request.user
    if (!is_admin && !is_author) throw MAY_NOT_ASSIGN
    const named = (request.params as { id?: string }).id
    if (named !== undefined && !is_admin) {
      const assignmentId = parseRowId(named, INVALID_ASSIGNMENT)
      const assignment = assignmentId === undefined ? undefined : await findOversight(app.db, assignmentId)
      if (assignment?.created_by !== id) throw NOT_YOUR_ASSIGNMENT
    }
    request.editable = await findEditable(app.db, request.user)
    request.viewableTeams = is_admin ? 'all' : new Set(await listLedTeams(app.db, id))
  })
  app.decorate('requireAssignable', async ({ body, editable, viewableTeams, validationError }: FastifyRequest) => {
    // The validation refuses an invalid body after this hook.
    if (editable === 'all' || validationError !== undefined) return
    const { parts, audience } = (body ?? {}) as AssignmentBody
    for (const { kind, slug } of parts ?? []) {
      if (kind === 'personal' || slug === undefined) continue
      const sourceId = await findSourceOf(app.db, kind, slug)
      if (sourceId === undefined) throw NOT_FOUND_BY_KIND[kind]
      if (!mayEdit(editable, sourceId)) throw NOT_AN_EDITOR
    }
    if (audience === undefined) return
    const { everybody = false, team_ids = [], user_ids = [] } = audience
    const isOwn = !everybody && user_ids.length === 0 && team_ids.every((id) => maySeeTeam(viewableTeams, id))
    if (!isOwn) throw NOT_YOUR_TEAM
  })
  app.decorate('requireAssignmentReader', async (request: FastifyRequest) => {
    await requireCaller(request)
    const { id, is_admin, is_author } = request.user
    const led = new Set(await listLedTeams(app.db, id))
    if (!is_admin && !is_author && led.size === 0 && !(await isResponsible(app.db, id))) throw NOT_AN_OVERSEER
    request.assignmentReader = { id, manages: is_admin, led }
  })
  app.decorate('requireOverseer', async (request: FastifyRequest) => {
    await requireCaller(request)
    const assignmentId = parseRowId((request.params as { id: string }).id, INVALID_ASSIGNMENT)
    const assignment = assignmentId === undefined ? undefined : await findOversight(app.db, assignmentId)
    if (assignment === undefined) throw NOT_AN_OVERSEER
    if (assignment.responsible_id === request.user.id) {
      request.overseen = { assignment, watched: undefined }
      return
    }
    const led = assignment.mandatory ? await listLedTeams(app.db, request.user.id) : []
    // A lead without members in the assignment must not learn its title and parts, which the attendance list contains.
    if (led.length === 0 || !(await concernsMembers(app.db, assignment.id, led))) throw NOT_AN_OVERSEER
    request.overseen = { assignment, watched: led }
  })
  app.decorate('requireResponsible', async (request: FastifyRequest) => {
    await requireCaller(request)
    const id = parseRowId((request.params as { id: string }).id, INVALID_ASSIGNMENT)
    const [overseen] = id === undefined ? [] : await listOverseen(app.db, request.user.id, [], [id])
    if (overseen?.is_responsible !== true) throw NOT_RESPONSIBLE
  })
  app.decorate('requireInstructor', async (request: FastifyRequest) => {
    const { id } = request.user
    const led = await listLedTeams(app.db, id)
    if (request.validationError !== undefined) {
      if (led.length === 0 && !(await isResponsible(app.db, id))) throw NOT_AN_OVERSEER
      return
    }
    const { ids } = request.body as { ids: number[] }
    const overseen = await listOverseen(app.db, id, led, ids)
    if (overseen.length < new Set(ids).size) throw NOT_AN_OVERSEER
  })
}

const INVALID_ASSIGNMENT = 'Ungültige Aufgaben-ID'

interface AssignmentBody {
  parts?: { kind: 'sheet' | 'test' | 'deck' | 'personal'; slug?: string }[]
  audience?: { everybody?: boolean; team_ids?: number[]; user_ids?: number[] }
}

/** Returns the sources that the user may edit: `'all'` for administrators, none for users without the author flag. */
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
