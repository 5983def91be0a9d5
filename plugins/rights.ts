import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Kysely } from 'kysely'
import { findChangeRights, findOversight, isResponsible, type Reader } from '../db/queries/assignments/assignments.js'
import { listOverseen } from '../db/queries/assignments/occurrences.js'
import { concernsMembers } from '../db/queries/assignments/plan.js'
import { findSourceOf, findSourcesOfCards, listEditedSources } from '../db/queries/content/rights.js'
import { listLedTeams } from '../db/queries/teams/members.js'
import type { Database } from '../db/types.js'
import { isAuditor } from '../src/domain/accounts/auditor.js'
import { AUDITORS_ONLY, AUTHORS_ONLY, NOT_AN_EDITOR } from '../src/domain/accounts/refusals.js'
import {
  MAY_NOT_ASSIGN,
  NOT_AN_OVERSEER,
  NOT_RESPONSIBLE,
  NOT_YOUR_ASSIGNMENT,
  NOT_YOUR_TEAM,
} from '../src/domain/assignments/refusals.js'
import { NO_CERTIFICATE_READER } from '../src/domain/certificates/refusals.js'
import { type Editable, type ItemKind, mayEdit } from '../src/domain/content/editing/rights.js'
import { CARD_NOT_FOUND, INVALID_ID_BY_KIND, NOT_FOUND_BY_KIND } from '../src/domain/content/refusals.js'
import type { Refusal } from '../src/domain/refusal.js'
import { NOT_A_LEAD } from '../src/domain/teams/refusals.js'
import { maySeeTeam, type ViewableTeams } from '../src/domain/teams/teams.js'
import { isInteger, parseRowId } from '../src/domain/text/parameters.js'
import type { OverseenAssignment } from '../src/services/assignments/oversee.js'
import type { CertificateReader } from '../src/services/certificates/search.js'
import { requireOwnPassword, requireScope } from './auth.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requires an author or administrator and loads `request.editable`. Runs before the body is read. */
    requireAuthor: onRequestAsyncHookHandler
    /**
     * Like `requireAuthor`, but also requires that the caller may edit the item that the first path parameter names.
     * Runs before the body is read.
     */
    requireEditor(kind: ItemKind): onRequestAsyncHookHandler
    /** Like `requireEditor`, but the item may be missing, because the request creates it. */
    requireEditorOrNew(kind: ItemKind): onRequestAsyncHookHandler
    /**
     * Requires that the caller may edit the item whose key `keyOf` reads from the request. Does nothing if the key is
     * neither a string nor a number. Runs after a hook that loads `request.editable`.
     * @param field path of the key in the body, or name of the query parameter, which a refusal names
     */
    requireEditorOf(kind: ItemKind, field: string, keyOf: KeyOf): onRequestAsyncHookHandler
    /**
     * Requires that the caller may edit all cards that the body lists. Ignores an invalid list, which the plugin
     * `validation` refuses later. Runs after `requireAuthor`.
     */
    requireEditorOfCards(idsOf: KeyOf): onRequestAsyncHookHandler
    /**
     * Requires an administrator or a team lead and loads `request.viewableTeams`. If the path contains a team id, a
     * caller who is not an administrator must lead that team.
     */
    requireLead: onRequestAsyncHookHandler
    /**
     * Requires an administrator or an author and loads `request.editable` and `request.viewableTeams`. If the path
     * contains an assignment id, an author who is not an administrator must have created that assignment, and must now
     * lead all teams of its audience and be able to edit its content.
     */
    requireAssigner: onRequestAsyncHookHandler
    /**
     * Requires that the caller may assign the parts in the body to the audience in the body. Ignores an invalid body,
     * which the plugin `validation` refuses later. Runs as a preHandler after `requireAssigner`.
     */
    requireAssignable: preHandlerAsyncHookHandler
    /** The part of `requireAssignable` about the audience */
    requireOwnAudience: preHandlerAsyncHookHandler
    /**
     * Requires an administrator, an auditor or a user who is responsible for an assignment, and loads
     * `request.certificateReader`.
     */
    requireCertificateReader: onRequestAsyncHookHandler
    /** Requires an administrator or an auditor. */
    requireAuditReader: preHandlerAsyncHookHandler
    /**
     * Requires an administrator, an auditor, an author, a team lead or a user who is responsible for an assignment, and loads
     * `request.assignmentReader`.
     */
    requireAssignmentReader: onRequestAsyncHookHandler
    /**
     * Requires that the caller is responsible for the assignment or, if the assignment is mandatory, leads at least one
     * person in it. Loads `request.overseen`.
     */
    requireOverseer: onRequestAsyncHookHandler
    /** Requires that the caller leads a team or is responsible for an assignment, and loads `request.ledTeams`. */
    requireAnyOverseer: onRequestAsyncHookHandler
    /** Like `requireOverseer`, but also admits auditors, who see all persons. */
    requireStateReader: onRequestAsyncHookHandler
    requireResponsible: onRequestAsyncHookHandler
    /**
     * Requires, for every occurrence in the body, that the caller is responsible for the assignment or, if the
     * assignment is mandatory, leads the person. If the body is invalid, requires that the caller is responsible for
     * any assignment or leads any team. Runs as a preHandler.
     */
    requireInstructor: preHandlerAsyncHookHandler
  }
  interface FastifyRequest {
    /**
     * Sources that the caller may edit; set by `requireAuthor`, `requireEditor`, `requireEditorOrNew` and
     * `requireAssigner`
     */
    editable: Editable
    /** Teams that the caller may see; set by `requireLead` and `requireAssigner` */
    viewableTeams: ViewableTeams
    /** Rights of the caller to read assignments; set by `requireAssignmentReader` and `requireAssigner` */
    assignmentReader: Reader
    /**
     * Rights of the caller to read certificates of others; set by `requireCertificateReader`
     */
    certificateReader: CertificateReader
    /**
     * The assignment in the path; also the teams that the caller leads, unless the caller is responsible for the
     * assignment or admitted as an auditor. Set by `requireOverseer` and `requireStateReader`.
     */
    overseen: OverseenAssignment
    /** Ids of the teams that the caller leads; set by `requireAnyOverseer` */
    ledTeams: readonly number[]
  }
}

/** Maximum number of cards that a body may list */
export const MAX_IDS = 1_000

type KeyOf = (body: never, request: FastifyRequest) => unknown

/**
 * Adds the hooks that check the rights to content, teams and assignments. Editors need the author flag and a row in
 * `source_editors`; leads need a current membership with the role `lead`. Administrators may edit every source and see
 * every team. They see a person's progress in an assignment only if they lead the person or are responsible for the
 * assignment.
 */
export default fp(
  async (app) => {
    app.decorateRequest('editable')
    app.decorateRequest('viewableTeams')
    app.decorateRequest('assignmentReader')
    app.decorateRequest('overseen')
    app.decorateRequest('ledTeams')
    app.decorateRequest('certificateReader')

    async function requireAuthor(request: FastifyRequest): Promise<void> {
      // `editable` is already set if another hook of the same request has called this function.
      if (request.editable !== undefined) return
      await requireCaller(request)
      if (!request.user.is_admin && !request.user.is_author) throw AUTHORS_ONLY
      request.editable = await findEditable(app.db, request.user)
    }

    /** @param field field of the request that has the key; undefined if the path has it */
    async function requireRight(editable: Editable, kind: ItemKind, key: string, field?: string): Promise<void> {
      const about = (refusal: Refusal) => (field === undefined ? refusal : refusal.at(field))
      const invalid = INVALID_ID_BY_KIND[kind]
      if (invalid !== undefined) parseRowId(key, invalid)
      const sourceId = await findSourceOf(app.db, kind, key)
      if (sourceId === undefined) throw about(NOT_FOUND_BY_KIND[kind])
      if (!mayEdit(editable, sourceId)) throw about(NOT_AN_EDITOR)
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
    app.decorate(
      'requireEditorOf',
      (kind: ItemKind, field: string, keyOf: KeyOf) => async (request: FastifyRequest) => {
        const key = keyOf((request.body ?? {}) as never, request)
        // The plugin `validation` refuses keys of other types after this hook.
        if (typeof key === 'string' || typeof key === 'number') {
          await requireRight(request.editable, kind, String(key), field)
        }
      },
    )
    app.decorate('requireEditorOfCards', (idsOf: KeyOf) => async (request: FastifyRequest) => {
      const given = idsOf((request.body ?? {}) as never, request)
      // The plugin `validation` refuses invalid lists after this hook.
      if (!Array.isArray(given) || given.length > MAX_IDS || !given.every((id) => Number.isSafeInteger(id))) return
      const ids = [...new Set<number>(given)]
      const sources = await findSourcesOfCards(app.db, ids.filter(isInteger))
      if (sources.size < ids.length) throw CARD_NOT_FOUND
      for (const sourceId of sources.values()) if (!mayEdit(request.editable, sourceId)) throw NOT_AN_EDITOR
    })
  },
  { name: 'rights', dependencies: ['auth'] },
)

function decorateAssignmentRights(app: FastifyInstance): void {
  app.decorate('requireAssigner', async (request: FastifyRequest) => {
    await requireCaller(request)
    const { id, is_admin, is_author } = request.user
    if (!is_admin && !is_author) throw MAY_NOT_ASSIGN
    const named = (request.params as { id?: string }).id
    const reader = await findReader(app.db, request.user)
    request.editable = reader.editable
    request.assignmentReader = reader
    request.viewableTeams = is_admin ? 'all' : reader.led
    if (named === undefined || is_admin) return
    const assignmentId = parseRowId(named, INVALID_ASSIGNMENT)
    const found = assignmentId === undefined ? undefined : await findChangeRights(app.db, assignmentId, reader)
    if (found?.created_by !== id) throw NOT_YOUR_ASSIGNMENT
    if (!found.leads_audience) throw NOT_YOUR_TEAM
    if (!found.edits_parts) throw NOT_AN_EDITOR
  })
  app.decorate('requireAssignable', async (request: FastifyRequest) => {
    const { body, editable, validationError } = request
    // The plugin `validation` refuses an invalid body after this hook.
    if (editable === 'all' || validationError !== undefined) return
    const { parts } = (body ?? {}) as AssignmentBody
    for (const [index, { kind, slug }] of (parts ?? []).entries()) {
      if (kind === 'personal' || slug === undefined) continue
      const sourceId = await findSourceOf(app.db, kind, slug)
      const field = `parts/${index}/slug`
      if (sourceId === undefined) throw NOT_FOUND_BY_KIND[kind].at(field)
      if (!mayEdit(editable, sourceId)) throw NOT_AN_EDITOR.at(field)
    }
    await requireOwnAudience(request)
  })
  app.decorate('requireOwnAudience', requireOwnAudience)

  async function requireOwnAudience({ body, editable, viewableTeams, validationError }: FastifyRequest): Promise<void> {
    if (editable === 'all' || validationError !== undefined) return
    const { audience } = (body ?? {}) as AssignmentBody
    if (audience === undefined) return
    const { everybody = false, team_ids = [], user_ids = [] } = audience
    const isOwn = !everybody && user_ids.length === 0 && team_ids.every((id) => maySeeTeam(viewableTeams, id))
    if (!isOwn) throw NOT_YOUR_TEAM.at('audience')
  }
  app.decorate('requireAssignmentReader', async (request: FastifyRequest) => {
    await requireCaller(request)
    const { id, is_admin, is_author } = request.user
    const audits = isAuditor(request.user, app.clock.today())
    const reader = { ...(await findReader(app.db, request.user)), audits }
    const mayAssign = is_admin || is_author
    if (!mayAssign && !audits && reader.led.size === 0 && !(await isResponsible(app.db, id))) throw NOT_AN_OVERSEER
    request.assignmentReader = reader
  })
  app.decorate('requireCertificateReader', async (request: FastifyRequest) => {
    await requireCaller(request)
    const reader = await findCertificateReader(request)
    if (reader === undefined) throw NO_CERTIFICATE_READER
    request.certificateReader = reader
  })
  app.decorate('requireAuditReader', async ({ user }: FastifyRequest) => {
    if (!user.is_admin && !isAuditor(user, app.clock.today())) throw AUDITORS_ONLY
  })
  const oversee = (admitsAuditors: boolean) => async (request: FastifyRequest) => {
    await requireCaller(request)
    const assignmentId = parseRowId((request.params as { id: string }).id, INVALID_ASSIGNMENT)
    const assignment = assignmentId === undefined ? undefined : await findOversight(app.db, assignmentId)
    if (assignment === undefined) throw NOT_AN_OVERSEER
    if (assignment.responsible_id === request.user.id) {
      request.overseen = { assignment, watched: undefined, audits: false }
      return
    }
    if (admitsAuditors && isAuditor(request.user, app.clock.today())) {
      request.overseen = { assignment, watched: undefined, audits: true }
      return
    }
    const led = assignment.mandatory ? await listLedTeams(app.db, request.user.id) : []
    // A lead without members in the assignment must not learn the title and parts of the assignment, which the
    // attendance list contains.
    if (led.length === 0 || !(await concernsMembers(app.db, assignment.id, led))) throw NOT_AN_OVERSEER
    request.overseen = { assignment, watched: led, audits: false }
  }
  app.decorate('requireOverseer', oversee(false))
  app.decorate('requireStateReader', oversee(true))
  app.decorate('requireAnyOverseer', async (request: FastifyRequest) => {
    await requireCaller(request)
    const { id } = request.user
    request.ledTeams = await listLedTeams(app.db, id)
    if (request.ledTeams.length === 0 && !(await isResponsible(app.db, id))) throw NOT_AN_OVERSEER
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

type User = Pick<FastifyRequest['user'], 'id' | 'is_admin' | 'is_author'>

async function findReader(db: Kysely<Database>, user: User): Promise<Reader & { led: ReadonlySet<number> }> {
  const { id, is_admin, is_author } = user
  const editable = await findEditable(db, user)
  return { id, manages: is_admin, audits: false, is_author, editable, led: new Set(await listLedTeams(db, id)) }
}

export async function findEditable(db: Kysely<Database>, { id, is_admin, is_author }: User): Promise<Editable> {
  if (is_admin) return 'all'
  return new Set(is_author ? await listEditedSources(db, id) : [])
}

/** Returns the rights of the caller to read certificates of others; undefined if there are none. */
export async function findCertificateReader({
  server: app,
  user,
}: FastifyRequest): Promise<CertificateReader | undefined> {
  const own = { responsibleId: user.id }
  if (isAuditor(user, app.clock.today())) return { scope: 'all', tasks: 'all' }
  if (user.is_admin) return { scope: 'all', tasks: own }
  return (await isResponsible(app.db, user.id)) ? { scope: own, tasks: own } : undefined
}

async function requireCaller(request: FastifyRequest): Promise<void> {
  requireScope(request)
  await requireOwnPassword(request)
}
