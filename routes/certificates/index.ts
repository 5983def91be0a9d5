import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { recordCertificateView } from '../../db/queries/accounts/audit.js'
import { type Certificate, findCertificate, listOwnCertificates } from '../../db/queries/certificates/certificates.js'
import { isCertificateInScope, listChoices } from '../../db/queries/certificates/search.js'
import { actorOf } from '../../plugins/auth.js'
import { languageFor } from '../../plugins/languages.js'
import { findCertificateReader } from '../../plugins/rights.js'
import type { ServiceConfig } from '../../plugins/service.js'
import { isAuditor } from '../../src/domain/accounts/auditor.js'
import { ADMINS_ONLY, AUDITORS_ONLY } from '../../src/domain/accounts/refusals.js'
import { checkDay, parseReason } from '../../src/domain/assignments/assignment.js'
import { parseCode } from '../../src/domain/certificates/code.js'
import { parseOptionalPurpose, parsePurpose } from '../../src/domain/certificates/purpose.js'
import {
  ACCOUNT_DELETED,
  CERTIFICATE_NOT_FOUND,
  CERTIFICATE_REPLACED,
  CERTIFICATE_REVOKED,
  NAME_UNCHANGED,
  NO_CERTIFICATE_READER,
} from '../../src/domain/certificates/refusals.js'
import { readSnapshot } from '../../src/domain/certificates/snapshot.js'
import { CHANGES_GONE } from '../../src/domain/changes/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import { TooManyAttempts } from '../../src/domain/refusal.js'
import type { Language } from '../../src/domain/text/language.js'
import { checkIntegerCursor } from '../../src/domain/text/parameters.js'
import { addDays } from '../../src/domain/time/calendar.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { SHUTDOWN_REFUSALS, unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses, sentAs } from '../../src/http/schemas.js'
import { correctName, revoke } from '../../src/services/certificates/change.js'
import { exportCertificates } from '../../src/services/certificates/export.js'
import {
  exportEnding,
  findCertificates,
  findChangedCertificates,
  listEnding,
} from '../../src/services/certificates/search.js'
import { accountShare } from '../../src/services/fair-turns.js'
import type { PrintedCertificate } from '../../src/services/print/certificate.js'
import { renderPdf } from '../../src/services/print/print.js'
import {
  CertificateChoices,
  CertificateExportQuery,
  CertificateFile,
  CertificateFileQuery,
  CertificateList,
  CertificateParams,
  CertificatesQuery,
  CertificateTable,
  EndingList,
  EndingQuery,
  EndingTableQuery,
  OwnCertificates,
  OwnCertificatesQuery,
  Replaced,
  RevokeBody,
} from './schemas.js'

/** Limit of PDFs per user; rendering a PDF takes processor time in a worker thread. */
const PDFS_PER_TEN_SECONDS = 10

const certificates: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Nachweis-Endpunkt'))

  app.get(
    '/mine',
    {
      schema: {
        operationId: 'listMyProofs',
        summary: "The caller's proofs, the newest first",
        tags: ['proofs'],
        querystring: OwnCertificatesQuery,
        response: responses(OwnCertificates),
      },
    },
    async ({ user, query }) => {
      const { limit, after: before = query.before } = query
      const found = await listOwnCertificates(app.db, user.id, { before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { proofs: page.map(view), next_after: next, next_before: next }
    },
  )

  app.get(
    '/',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'searchProofs',
        summary: 'Proofs of others, the newest first',
        description: `Administrators and auditors find all proofs, other users those of assignments that they are responsible
for. Replaced proofs are left out. Recorded in the audit trail once a day and caller. With \`changed_since\`, replaced
proofs count as deleted, and deleted ones come whatever the filters except \`assignment\`.`,
        tags: ['proofs'],
        querystring: CertificatesQuery,
        response: responses(CertificateList, [NO_CERTIFICATE_READER, CHANGES_GONE]),
      },
      onRequest: app.requireCertificateReader,
    },
    async (request, reply) => {
      const { query, user } = request
      const q = (query.q ?? '').trim()
      const filter = {
        q: q === '' ? undefined : q,
        userId: query.person,
        completedFrom: dayOf('completed_from', query.completed_from),
        completedTo: dayOf('completed_to', query.completed_to),
        state: query.state,
        ...placesOf(query),
      }
      const { changed_since: since, after, limit } = query
      if (since !== undefined) {
        const readRights = async () => {
          await app.requireCertificateReader(request, reply)
          return request.certificateReader
        }
        const changes = { userId: user.id, since, after, limit }
        return findChangedCertificates(app.db, actorOf(request), readRights, filter, changes)
      }
      checkIntegerCursor('after', after)
      return findCertificates(app.db, actorOf(request), request.certificateReader, filter, { after, limit })
    },
  )

  app.get(
    '/choices',
    {
      schema: {
        operationId: 'listProofChoices',
        summary: 'Assignments and teams for filtering proofs',
        tags: ['proofs'],
        response: responses(CertificateChoices, [NO_CERTIFICATE_READER]),
      },
      onRequest: app.requireCertificateReader,
    },
    async ({ certificateReader }) => listChoices(app.db, certificateReader.scope),
  )

  app.get(
    '/expiring',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listExpiring',
        summary: 'Proofs and open tasks that end soon, the earliest first',
        description: `${EXPIRING} At most 1,000 items.`,
        tags: ['proofs'],
        querystring: EndingQuery,
        response: responses(EndingList, [NO_CERTIFICATE_READER]),
      },
      onRequest: app.requireCertificateReader,
    },
    async (request) => listEnding(app.db, actorOf(request), request.certificateReader, placesOf(request.query)),
  )

  app.get(
    '/expiring.csv',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'exportExpiring',
        summary: 'Proofs and open tasks that end soon, as a table',
        description: `${EXPIRING} Auditors must state a purpose.`,
        tags: ['proofs'],
        produces: ['text/csv'],
        querystring: EndingTableQuery,
        response: responses(sentAs<Readable>(CertificateTable), [NO_CERTIFICATE_READER]),
      },
      onRequest: app.requireCertificateReader,
    },
    async (request, reply) => {
      const { query, user, certificateReader } = request
      const purpose = parseOptionalPurpose(query.purpose, isAuditor(user, app.clock.today()))
      const filter = { ...placesOf(query), purpose }
      const chunks = await exportEnding(app.db, actorOf(request), certificateReader, filter)
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="laeuft-ab_${app.clock.today()}.csv"`)
        // Stops nginx from buffering the whole response for a slow client.
        .header('x-accel-buffering', 'no')
      // Returned, not sent: `reply` would hold the turn of the request until the client has read the response.
      return Readable.from(reply.takeTurns(chunks), { objectMode: false })
    },
  )

  function placesOf({
    team,
    assignment,
    days,
  }: {
    team: number | undefined
    assignment: number | undefined
    days: number
  }) {
    const today = app.clock.today()
    return { teamId: team, assignmentId: assignment, today, until: addDays(today, days) }
  }

  app.get(
    '/:code.pdf',
    {
      schema: {
        operationId: 'getProofPdf',
        summary: 'A proof as PDF',
        description: `For its owner and for callers whose search finds it; the latter is recorded in the audit trail as a
search is. The same proof gives the same bytes for the same settings and language.`,
        tags: ['proofs'],
        produces: ['application/pdf'],
        params: CertificateParams,
        querystring: CertificateFileQuery,
        response: responses(CertificateFile, [CERTIFICATE_NOT_FOUND, new TooManyAttempts(2), ...SHUTDOWN_REFUSALS]),
      },
      preHandler: app.limitUser('certificate', PDFS_PER_TEN_SECONDS),
    },
    async (request, reply) => {
      const code = parseCode(request.params.code)
      const certificate = code === undefined ? undefined : await findCertificate(app.db, code)
      if (certificate === undefined) throw CERTIFICATE_NOT_FOUND
      if (certificate.user_id !== request.user.id) {
        const mayRead = request.apiToken === undefined || request.apiToken.scopes.includes('admin')
        const reader = mayRead ? await findCertificateReader(request) : undefined
        if (reader === undefined) throw CERTIFICATE_NOT_FOUND
        if (!(await isCertificateInScope(app.db, certificate.assignment_id, reader.scope))) throw CERTIFICATE_NOT_FOUND
        await recordCertificateView(app.db, actorOf(request), { day: app.clock.today(), scope: reader.scope })
      }
      const language = languageFor(request, reply, request.query.lang)
      const frame = frameOf(certificate.code, app.config, language)
      const content = { ...certificate, ...frame, snapshot: readSnapshot(certificate.snapshot) }
      const signal = AbortSignal.any([app.stopping, abortOnClose(reply)])
      const pdf = await renderPdf(accountShare(request.user.id), { kind: 'certificate', content }, signal)
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="${FILE_NAMES[language]}-${certificate.completed_on}.pdf"`)
        .send(pdf) as never
    },
  )

  app.get(
    '/export',
    {
      schema: {
        operationId: 'exportProofs',
        summary: 'All proofs as a table for auditors',
        description: 'The purpose is recorded in the audit trail.',
        tags: ['proofs'],
        produces: ['text/csv'],
        querystring: CertificateExportQuery,
        response: responses(CertificateTable, [AUDITORS_ONLY]),
      },
      preHandler: app.requireAuditReader,
    },
    async (request, reply) => {
      const purpose = parsePurpose(request.query.purpose)
      const chunks = await exportCertificates(app.db, actorOf(request), purpose, app.assignments)
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="nachweise_${app.clock.today()}.csv"`)
        // Stops nginx from buffering the whole response for a slow client.
        .header('x-accel-buffering', 'no')
      return reply.send(Readable.from(reply.takeTurns(chunks), { objectMode: false }))
    },
  )

  app.post(
    '/:code/revoke',
    {
      schema: {
        operationId: 'revokeProof',
        summary: 'Revoke a proof',
        tags: ['proofs'],
        params: CertificateParams,
        body: RevokeBody,
        response: responses(Done, [ADMINS_ONLY, CERTIFICATE_NOT_FOUND, CERTIFICATE_REVOKED, CERTIFICATE_REPLACED]),
      },
      preHandler: app.requireAdmin,
    },
    async (request) => {
      const revocation = { code: codeOf(request.params), reason: parseReason(request.body.reason) }
      await revoke(app.db, actorOf(request), revocation, app.clock.now())
      return { ok: true as const }
    },
  )

  app.post(
    '/:code/correct-name',
    {
      schema: {
        operationId: 'correctProof',
        summary: 'Replace a proof with one that has the current name of the person',
        description: 'Each of the two proofs refers to the other.',
        tags: ['proofs'],
        params: CertificateParams,
        response: responses(Replaced, [
          ...[
            ADMINS_ONLY,
            CERTIFICATE_NOT_FOUND,
            CERTIFICATE_REVOKED,
            CERTIFICATE_REPLACED,
            NAME_UNCHANGED,
            ACCOUNT_DELETED,
          ],
        ]),
      },
      preHandler: app.requireAdmin,
    },
    async (request) => ({
      code: await correctName(app.db, actorOf(request), codeOf(request.params), app.clock.now()),
    }),
  )
}

const EXPIRING = `Proofs as in a search with \`state=expiring\`, without those whose person has a later one for the same
assignment. Tasks of all assignments for auditors, otherwise of those that the caller is responsible for. Recorded in the
audit trail as a search is, and like a view of the state of each assignment with a task among them.`

function dayOf(field: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  checkDay(field, text)
  return text
}

const FILE_NAMES: Readonly<Record<Language, string>> = { de: 'nachweis', en: 'certificate' }

/** Returns what the settings and the request add to a printed certificate. */
export function frameOf(
  code: string,
  { publicUrl, companyLogo }: ServiceConfig,
  language: Language,
): Pick<PrintedCertificate, 'address' | 'logo' | 'language'> {
  const address = publicUrl === undefined ? null : new URL(`nachweis/${code}`, publicUrl).href
  return { address, logo: companyLogo?.printed ?? null, language }
}

/**
 * Parses the code in a path.
 * @throws CERTIFICATE_NOT_FOUND if the code is malformed
 * @example codeOf({ code: 'AB7K9QF2M4X8ZC6T3VN5HRWDJE' }) // 'AB7K9QF2M4X8ZC6T3VN5HRWDJE'
 */
export function codeOf({ code }: { code: string }): string {
  const parsed = parseCode(code)
  if (parsed === undefined) throw CERTIFICATE_NOT_FOUND
  return parsed
}

function view({ code, snapshot, completed_on, issued_at, valid_until, revoked_at, replaced_by }: Certificate) {
  const { title } = readSnapshot(snapshot)
  return { code, title, completed_on, issued_at, valid_until, revoked_at, replaced_by }
}

export default certificates
