import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import {
  countWithoutResponsible,
  findAssignment,
  findDetails,
  listAssignments,
  type Reader,
  type StoredAssignment,
} from '../../db/queries/assignments/assignments.js'
import type { OccurrenceSelection } from '../../db/queries/assignments/occurrences.js'
import { findReach } from '../../db/queries/assignments/plan.js'
import { findTitle } from '../../db/queries/certificates/search.js'
import { actorOf } from '../../plugins/auth.js'
import { languageFor } from '../../plugins/languages.js'
import { isDisabled } from '../../src/domain/accounts/deactivation.js'
import { ADMINS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { type AssignmentInput, parseAssignment, parseAudience } from '../../src/domain/assignments/assignment.js'
import {
  ASSIGNMENT_NOT_FOUND,
  AUDIENCE_TEAM_NOT_FOUND,
  LIST_TOO_LONG,
  MAY_NOT_ASSIGN,
  NOT_AN_OVERSEER,
  NOT_YOUR_ASSIGNMENT,
  NOT_YOUR_TEAM,
  OWN_OCCURRENCE,
  PARTS_IN_USE,
  PartIsVariant,
  PERSON_NOT_FOUND,
} from '../../src/domain/assignments/refusals.js'
import { parseOptionalPurpose, parsePurpose } from '../../src/domain/certificates/purpose.js'
import { NO_CERTIFICATE_READER } from '../../src/domain/certificates/refusals.js'
import { CHANGES_GONE } from '../../src/domain/changes/refusals.js'
import {
  CHEATSHEET_NOT_FOUND,
  DECK_NOT_FOUND,
  TEST_NOT_FOUND,
  VersionOutdated,
} from '../../src/domain/content/refusals.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { linkAddressOf } from '../../src/domain/mail/settings.js'
import { cutPage } from '../../src/domain/page.js'
import { TooManyAttempts } from '../../src/domain/refusal.js'
import { maySeeTeam } from '../../src/domain/teams/teams.js'
import type { Language } from '../../src/domain/text/language.js'
import { checkIntegerCursor, parseInstantField, parseRowId } from '../../src/domain/text/parameters.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { learnerOf } from '../../src/http/learner.js'
import { limitToOnePerUser } from '../../src/http/limit-to-one-per-user.js'
import { SHUTDOWN_REFUSALS, unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses, sentAs } from '../../src/http/schemas.js'
import {
  acceptCorrection,
  changeAssignment,
  createAssignment,
  removeAssignment,
  renewAssignment,
} from '../../src/services/assignments/assignments.js'
import { exportOccurrences } from '../../src/services/assignments/export.js'
import { listMine } from '../../src/services/assignments/mine.js'
import {
  countUrgent,
  listChangedOverseen,
  listOverseenOccurrences,
  listSigners,
  restOfWeek,
} from '../../src/services/assignments/oversee.js'
import { dueRuleOf, startsOf } from '../../src/services/assignments/plan.js'
import { openArchive } from '../../src/services/certificates/archive.js'
import { listTemplates } from '../../src/services/content/folder/templates.js'
import { formRequestOf } from '../../src/services/create-once.js'
import { accountShare } from '../../src/services/fair-turns.js'
import { renderPdf } from '../../src/services/print/print.js'
import { frameOf } from '../certificates/index.js'
import { CertificateArchiveQuery } from '../certificates/schemas.js'
import occurrences from './occurrences.js'
import {
  AssignmentDetail,
  AssignmentList,
  AssignmentParams,
  AssignmentResponse,
  AssignmentsQuery,
  ChangeAssignmentBody,
  CorrectionBody,
  CreateAssignmentBody,
  OccurrenceList,
  OccurrencesQuery,
  OccurrenceTable,
  OccurrenceTableQuery,
  OwnOccurrences,
  ReachBody,
  ReachResponse,
  SignersFile,
  SignersQuery,
  TemplateList,
  UrgentCounts,
} from './schemas.js'

const ASSIGNING = [MAY_NOT_ASSIGN, NOT_AN_EDITOR.at('parts/0/slug'), NOT_YOUR_TEAM.at('audience')]
const CHANGING = [...ASSIGNING, NOT_YOUR_ASSIGNMENT]
const CONTENT = [CHEATSHEET_NOT_FOUND, TEST_NOT_FOUND, DECK_NOT_FOUND].map((one) => one.at('parts/0/slug'))
const VARIANT = new PartIsVariant(0, 'git-en', 'git')
const AUDIENCE = [PERSON_NOT_FOUND, AUDIENCE_TEAM_NOT_FOUND]

/** Number of names that the form shows before an assignment is given */
const SHOWN_NAMES = 3
const LISTS_PER_TEN_SECONDS = 10

const LIST_NAMES: Readonly<Record<Language, string>> = { de: 'teilnahmeliste', en: 'participants' }
const ARCHIVE_NAMES: Readonly<Record<Language, string>> = { de: 'nachweise', en: 'certificates' }

const assignments: FastifyPluginAsyncTypebox = async (app) => {
  const { clock } = app
  const serveAlone = limitToOnePerUser()
  app.setFallback(unknownEndpoint('Unbekannter Aufgaben-Endpunkt'))
  await app.register(occurrences, { prefix: '/occurrences' })

  app.get(
    '/mine',
    {
      schema: {
        operationId: 'listMyAssignments',
        summary: "The caller's occurrences of assignments, open ones first",
        description: `A part is shown in the language that the caller has chosen for it, else in the first language of the
caller that its content has: the setting of the account, the one chosen in this browser, those of \`Accept-Language\`;
else as the original. A test with an open attempt stays in its language.`,
        tags: ['assignments'],
        response: responses(OwnOccurrences),
      },
    },
    (request) => listMine(app.db, learnerOf(request), app.assignments),
  )

  app.get(
    '/',
    {
      schema: {
        operationId: 'listAssignments',
        summary: 'Assignments, the newest first',
        description:
          'Administrators and auditors get all; other users those that they may change, are responsible for, or see as a team lead.',
        tags: ['assignments'],
        querystring: AssignmentsQuery,
        response: responses(AssignmentList, [NOT_AN_OVERSEER]),
      },
      onRequest: app.requireAssignmentReader,
    },
    async ({ query, user, assignmentReader }) => {
      const { team, limit, after: before = query.before } = query
      const found = await listAssignments(app.db, assignmentReader, { team, before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      const today = clock.today()
      return {
        assignments: page.map((one) => viewFor(one, assignmentReader, today)),
        next_after: next,
        next_before: next,
        without_responsible: user.is_admin ? await countWithoutResponsible(app.db, today) : null,
      }
    },
  )

  app.get(
    '/templates',
    {
      schema: {
        operationId: 'listTemplates',
        summary: 'Templates of the content folder, from which an administrator may start an assignment',
        description: 'Fields for `POST /api/assignments`, which still needs `audience`, and `starts` if absent.',
        tags: ['assignments'],
        response: responses(TemplateList, [ADMINS_ONLY]),
      },
      preHandler: app.requireAdmin,
    },
    async () => ({ templates: await listTemplates(app.db, app.config.contentDir) }),
  )

  app.get(
    '/urgent',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'countUrgent',
        summary: 'Numbers of overdue tasks and of those due this week that the caller oversees',
        description: `The responsible person's numbers cover all persons; a lead's cover the members of the own teams in
mandatory assignments. They equal those of the filters \`overdue\` and \`due_this_week\` of the list. Other callers,
also administrators and auditors, are refused. Tokens need the scope \`admin\`.`,
        tags: ['assignments'],
        response: responses(UrgentCounts, [NOT_AN_OVERSEER]),
      },
      onRequest: app.requireAnyOverseer,
    },
    ({ user, ledTeams }) => countUrgent(app.db, { userId: user.id, led: ledTeams }, clock.today()),
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getAssignment',
        summary: 'An assignment',
        tags: ['assignments'],
        params: AssignmentParams,
        response: responses(AssignmentDetail, [NOT_AN_OVERSEER, ASSIGNMENT_NOT_FOUND]),
      },
      onRequest: app.requireAssignmentReader,
    },
    async ({ params, assignmentReader }) => {
      const found = await findAssignment(app.db, assignmentIdOf(params), assignmentReader)
      if (found === undefined) throw ASSIGNMENT_NOT_FOUND
      const { persons, parts_in_use, changed_at } = await findDetails(app.db, found.id)
      const listed = viewFor(found, assignmentReader, clock.today())
      const since = latest(found.created_at, found.renewed_at, found.corrected_at)
      return {
        assignment: {
          ...listed,
          persons: listed.rights.change || listed.rights.decide || assignmentReader.audits ? persons : [],
          parts_in_use: listed.rights.change && parts_in_use,
          changed_parts: changed_at.flatMap((at, part) =>
            at !== null && new Date(at) > since ? [{ part, changed_at: new Date(at) }] : [],
          ),
        },
      }
    },
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createAssignment',
        summary: 'Create an assignment',
        description: 'Authors assign content of their sources to teams that they lead.',
        tags: ['assignments'],
        body: CreateAssignmentBody,
        response: responses(AssignmentResponse, [
          ...[...ASSIGNING, ...CONTENT, VARIANT, ...AUDIENCE, ASSIGNMENT_NOT_FOUND],
          new ClientIdUsed({ id: 3 }),
        ]),
      },
      onRequest: app.requireAssigner,
      preHandler: app.requireAssignable,
    },
    async (request) => {
      const { description = '', ordered = false, responsible_id = request.user.id } = request.body
      const input = parseAssignment({ ...request.body, description, ordered, responsible_id }) as AssignmentInput
      const repeated = { request: formRequestOf(request.user, request.body), reader: request.assignmentReader }
      return { assignment: view(await createAssignment(app.db, actorOf(request), input, repeated, app.assignments)) }
    },
  )

  app.post(
    '/reach',
    {
      schema: {
        operationId: 'countAudience',
        summary: 'Number of persons in an audience today, before it gets an assignment',
        description: 'Changes nothing. For the same callers and audiences as the creation of an assignment.',
        tags: ['assignments'],
        body: ReachBody,
        response: responses(ReachResponse, [MAY_NOT_ASSIGN, NOT_YOUR_TEAM.at('audience')]),
      },
      onRequest: app.requireAssigner,
      preHandler: app.requireOwnAudience,
    },
    ({ body }) => findReach(app.db, parseAudience(body.audience), { today: clock.today(), shown: SHOWN_NAMES }),
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeAssignment',
        summary: 'Change an assignment',
        description:
          'Dates apply to periods that begin from now on. Parts can be changed until a person has done one of them. \
Callers cannot release themselves from an open mandatory task unless another account is responsible.',
        tags: ['assignments'],
        params: AssignmentParams,
        body: ChangeAssignmentBody,
        response: responses(AssignmentResponse, [
          ...[...CHANGING, ASSIGNMENT_NOT_FOUND, PARTS_IN_USE, OWN_OCCURRENCE],
          ...[...CONTENT, VARIANT, ...AUDIENCE, new VersionOutdated(2)],
        ]),
      },
      onRequest: app.requireAssigner,
      preHandler: app.requireAssignable,
    },
    async (request) => {
      const { version } = request.body
      const change = { id: assignmentIdOf(request.params), change: parseAssignment(request.body), version }
      return { assignment: view(await changeAssignment(app.db, actorOf(request), change, app.assignments)) }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteAssignment',
        summary: 'Delete an assignment; persons keep their finished occurrences',
        tags: ['assignments'],
        params: AssignmentParams,
        response: responses(Done, CHANGING),
      },
      onRequest: app.requireAssigner,
    },
    async (request) => {
      const id = parseRowId(request.params.id, INVALID_ASSIGNMENT)
      if (id !== undefined) await removeAssignment(app.db, actorOf(request), id, app.assignments)
      return { ok: true as const }
    },
  )

  app.post(
    '/:id/renew',
    {
      schema: {
        operationId: 'renewAssignment',
        summary: 'Make an assignment due again, because its content has changed',
        description: 'Open occurrences start again; persons who have finished get a new occurrence.',
        tags: ['assignments'],
        params: AssignmentParams,
        response: responses(AssignmentResponse, [...CHANGING, ASSIGNMENT_NOT_FOUND]),
      },
      onRequest: app.requireAssigner,
    },
    async (request) => {
      const id = assignmentIdOf(request.params)
      return { assignment: view(await renewAssignment(app.db, actorOf(request), id, app.assignments)) }
    },
  )

  app.post(
    '/:id/correction',
    {
      schema: {
        operationId: 'acceptCorrection',
        summary: 'Record that changes of the content were only corrections',
        description:
          'Nothing becomes due again. `changed_parts` then lists only parts that changed after `changed_at`.',
        tags: ['assignments'],
        params: AssignmentParams,
        body: CorrectionBody,
        response: responses(Done, [...CHANGING, ASSIGNMENT_NOT_FOUND]),
      },
      onRequest: app.requireAssigner,
    },
    async (request) => {
      const id = assignmentIdOf(request.params)
      const changedAt = parseInstantField(request.body.changed_at, 'changed_at')
      const at = clock.now()
      await acceptCorrection(app.db, actorOf(request), id, changedAt.getTime() < at.getTime() ? changedAt : at)
      return { ok: true as const }
    },
  )

  app.get(
    '/:id/list.pdf',
    {
      schema: {
        operationId: 'getSignersPdf',
        summary: 'A list of the persons of an assignment to sign by hand, as PDF',
        description: `Each person once, by name, with fields for day, place and instructor; for at most 1,000 occurrences.
The responsible person gets all persons; leads get the members of their teams if the assignment is mandatory. Recorded
in the audit trail like a view of the state.`,
        tags: ['assignments'],
        produces: ['application/pdf'],
        params: AssignmentParams,
        querystring: SignersQuery,
        response: responses(SignersFile, [
          ...[NOT_AN_OVERSEER, ASSIGNMENT_NOT_FOUND, LIST_TOO_LONG, new TooManyAttempts(2), ...SHUTDOWN_REFUSALS],
        ]),
      },
      onRequest: [app.requireOverseer, app.limitUser('list', LISTS_PER_TEN_SECONDS)],
    },
    async (request, reply) => {
      const { overseen, query } = request
      const listed = await listSigners(app.db, actorOf(request), overseen, query.state, app.assignments)
      const language = languageFor(request, reply, query.lang)
      const content = { ...listed, language }
      const signal = AbortSignal.any([app.stopping, abortOnClose(reply)])
      const pdf = await renderPdf(accountShare(request.user.id), { kind: 'session', content }, signal)
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="${LIST_NAMES[language]}-${content.day}.pdf"`)
        .send(pdf) as never
    },
  )

  app.get(
    '/:id/proofs.zip',
    {
      schema: {
        operationId: 'exportAssignmentProofs',
        summary: 'The PDFs of all proofs of an assignment as a ZIP file, without revoked ones',
        description: `For administrators, auditors and the responsible person, one file at a time per user. The purpose is
recorded in the audit trail, and the persons see it. The header \`X-File-Count\` has the number of files; those revoked
meanwhile are left out. The files are named \`<name>-<code>.pdf\`.`,
        tags: ['assignments'],
        produces: ['application/zip'],
        params: AssignmentParams,
        querystring: CertificateArchiveQuery,
        response: responses(SignersFile, [
          ...[NO_CERTIFICATE_READER, ASSIGNMENT_NOT_FOUND, new TooManyAttempts(5), ...SHUTDOWN_REFUSALS],
        ]),
      },
      onRequest: app.requireCertificateReader,
    },
    async (request, reply) => {
      const { params, query, user, certificateReader } = request
      const id = assignmentIdOf(params)
      const title = await findTitle(app.db, id, certificateReader.scope)
      if (title === undefined) throw ASSIGNMENT_NOT_FOUND
      const language = languageFor(request, reply, query.lang)
      const order = {
        assignment: { id, title },
        purpose: parsePurpose(query.purpose),
        userId: user.id,
        frameOf: (code: string) => frameOf(code, app.config, language),
      }
      const signal = AbortSignal.any([app.stopping, abortOnClose(reply)])
      const body = await serveAlone(user.id, reply, async () => {
        const { stream, count } = await openArchive(app.db, actorOf(request), order, signal)
        reply.header('x-file-count', count)
        return stream
      })
      return (
        reply
          .type('application/zip')
          .header('content-disposition', `attachment; filename="${ARCHIVE_NAMES[language]}_${clock.today()}.zip"`)
          // Stops nginx from buffering the whole response for a slow client.
          .header('x-accel-buffering', 'no')
          .send(body) as never
      )
    },
  )

  app.get(
    '/:id/occurrences',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listOccurrences',
        summary: 'The state of the persons of an assignment',
        description: `The responsible person and auditors get all persons; leads get the members of their teams if the
assignment is mandatory. Sorted by name, then by period, latest first. With \`changed_since\`, a part that is done, the
person's name and the titles of the parts are changes, but not \`overdue\`, which follows from the day. Deleted entries
come whatever the other filters, but leads get none.`,
        tags: ['assignments'],
        params: AssignmentParams,
        querystring: OccurrencesQuery,
        response: responses(OccurrenceList, [NOT_AN_OVERSEER, ASSIGNMENT_NOT_FOUND, CHANGES_GONE]),
      },
      onRequest: app.requireStateReader,
    },
    async (request, reply) => {
      const { query, overseen, user } = request
      const { changed_since: since, after, limit } = query
      const selection = selectionOf(query, clock.today())
      const context = { ...app.assignments, sendsMail: linkAddressOf(app.config) !== undefined }
      if (since !== undefined) {
        const readRights = async () => {
          await app.requireStateReader(request, reply)
          return request.overseen
        }
        const changes = { userId: user.id, since, after, limit }
        return listChangedOverseen(app.db, actorOf(request), { overseen, readRights }, { selection, changes }, context)
      }
      checkIntegerCursor('after', after)
      return listOverseenOccurrences(app.db, actorOf(request), overseen, { after, limit, ...selection }, context)
    },
  )

  app.get(
    '/:id/occurrences.csv',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'exportOccurrences',
        summary: 'The state of the persons of an assignment as a table',
        description: `The same persons and filters as the list, with the columns kind, title, state and day for each part.
Recorded in the audit trail like a view of the state. Auditors must state a purpose.`,
        tags: ['assignments'],
        produces: ['text/csv'],
        params: AssignmentParams,
        querystring: OccurrenceTableQuery,
        response: responses(sentAs<Readable>(OccurrenceTable), [NOT_AN_OVERSEER, ASSIGNMENT_NOT_FOUND]),
      },
      onRequest: app.requireStateReader,
    },
    async (request, reply) => {
      const { query, overseen } = request
      const purpose = parseOptionalPurpose(query.purpose, overseen.audits)
      const selection = { ...selectionOf(query, clock.today()), purpose }
      const chunks = await exportOccurrences(app.db, actorOf(request), overseen, selection, app.assignments)
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="stand_${clock.today()}.csv"`)
        // Stops nginx from buffering the whole response for a slow client.
        .header('x-accel-buffering', 'no')
      // Returned, not sent: `reply` would hold the turn of the request until the client has read the response.
      return Readable.from(reply.takeTurns(chunks), { objectMode: false })
    },
  )
}

function selectionOf(query: Static<typeof OccurrenceTableQuery>, today: string): OccurrenceSelection {
  const q = (query.q ?? '').trim()
  return {
    states: query.state,
    q: q === '' ? undefined : q,
    overdueOn: query.overdue ? today : undefined,
    dueIn: query.due_this_week ? restOfWeek(today) : undefined,
    missing: query.missing,
  }
}

function latest(first: Date, ...others: (Date | null)[]): Date {
  return others.reduce<Date>((last, other) => (other !== null && other > last ? other : last), first)
}

const INVALID_ASSIGNMENT = 'Ungültige Aufgaben-ID'

function assignmentIdOf({ id }: { id: string }): number {
  const parsed = parseRowId(id, INVALID_ASSIGNMENT)
  if (parsed === undefined) throw ASSIGNMENT_NOT_FOUND
  return parsed
}

function view(stored: StoredAssignment) {
  const { title, description, parts, mandatory, ordered, retention_years, responsible_id } = stored
  const { id, created_at, edit_version, every_months, window_end, opens_days_before } = stored
  const { everybody_from, team_ids, user_ids } = stored
  return {
    id,
    title,
    description,
    parts,
    audience: { everybody: everybody_from !== null, team_ids, user_ids },
    starts: startsOf(stored),
    due: dueRuleOf(stored),
    recurrence:
      every_months === null
        ? null
        : { every_months, ...(window_end !== null && { window_end }), opens_days_before: opens_days_before ?? 0 },
    mandatory,
    ordered,
    retention_years,
    responsible_id,
    created_at,
    version: edit_version,
    renewals: stored.version - 1,
  }
}

/**
 * Returns an assignment with the rights of the caller. For a caller who may neither change nor audit the assignment nor
 * decide about its persons, the audience contains only the teams that the caller leads.
 */
function viewFor(stored: StoredAssignment, { id, led, audits }: Reader, today: string) {
  const { responsible, responsible_disabled_on: disabled_on, responsible_id, mandatory } = stored
  const change = stored.may_change
  const decide = responsible_id === id
  const see_state = decide || audits || (mandatory && (led === 'all' || led.size > 0))
  const mayShow = (teamId: number) => change || decide || audits || maySeeTeam(led, teamId)
  return {
    ...view({ ...stored, team_ids: stored.team_ids.filter(mayShow) }),
    responsible,
    responsible_missing: change && (responsible === null || isDisabled({ disabled_on }, today)),
    teams: stored.teams.filter((team) => mayShow(team.id)),
    rights: { change, see_state, decide },
  }
}

export default assignments
