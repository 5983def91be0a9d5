import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findProof, listOwnProofs, type Proof } from '../../db/queries/proofs/proofs.js'
import { actorOf } from '../../plugins/auth.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { parseReason } from '../../src/domain/assignments/assignment.js'
import { cutPage } from '../../src/domain/page.js'
import { parseCode } from '../../src/domain/proofs/code.js'
import {
  ACCOUNT_DELETED,
  NAME_UNCHANGED,
  PROOF_NOT_FOUND,
  PROOF_REPLACED,
  PROOF_REVOKED,
} from '../../src/domain/proofs/refusals.js'
import { readSnapshot } from '../../src/domain/proofs/snapshot.js'
import { InvalidField, TooManyAttempts } from '../../src/domain/refusal.js'
import { checkLine } from '../../src/domain/text/parameters.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { publicAddressOf } from '../../src/http/public-address.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses } from '../../src/http/schemas.js'
import { renderPdf } from '../../src/services/print/print.js'
import { correctName, revoke } from '../../src/services/proofs/change.js'
import { exportProofs } from '../../src/services/proofs/export.js'
import { SHUTDOWN_REFUSALS } from '../admin/schemas.js'
import {
  ExportQuery,
  OwnProofs,
  OwnProofsQuery,
  ProofFile,
  ProofParams,
  ProofTable,
  Replaced,
  RevokeBody,
} from './schemas.js'

/** Limit of PDFs per user; rendering a PDF takes up to a second of processor time in a worker thread. */
const PDFS_PER_TEN_SECONDS = 10

const proofs: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Nachweis-Endpunkt'))

  app.get(
    '/mine',
    {
      schema: {
        operationId: 'listMyProofs',
        summary: "The caller's proofs, the newest first",
        tags: ['proofs'],
        querystring: OwnProofsQuery,
        response: responses(OwnProofs),
      },
    },
    async ({ user, query }) => {
      const { limit, after: before = query.before } = query
      const found = await listOwnProofs(app.db, user.id, { before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { proofs: page.map(view), next_after: next, next_before: next }
    },
  )

  app.get(
    '/:code.pdf',
    {
      schema: {
        operationId: 'getProofPdf',
        summary: 'A proof of the caller as PDF',
        description: 'The same proof gives the same bytes.',
        tags: ['proofs'],
        produces: ['application/pdf'],
        params: ProofParams,
        response: responses(ProofFile, [PROOF_NOT_FOUND, new TooManyAttempts(2), ...SHUTDOWN_REFUSALS]),
      },
      preHandler: app.limitUser('proof', PDFS_PER_TEN_SECONDS),
    },
    async (request, reply) => {
      const code = parseCode(request.params.code)
      const proof = code === undefined ? undefined : await findProof(app.db, code)
      if (proof?.user_id !== request.user.id) throw PROOF_NOT_FOUND
      const address = publicAddressOf(request, `nachweis/${proof.code}`, app.config).href
      const content = { ...proof, snapshot: readSnapshot(proof.snapshot), address }
      const signal = AbortSignal.any([app.stopping, abortOnClose(reply)])
      const pdf = await renderPdf(request.user.id, { kind: 'proof', content }, signal)
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="nachweis-${proof.completed_on}.pdf"`)
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
        querystring: ExportQuery,
        response: responses(ProofTable, [ADMINS_ONLY]),
      },
      preHandler: app.requireAdmin,
    },
    async (request, reply) => {
      const purpose = parsePurpose(request.query.purpose)
      const chunks = await exportProofs(app.db, actorOf(request), purpose)
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
        params: ProofParams,
        body: RevokeBody,
        response: responses(Done, [ADMINS_ONLY, PROOF_NOT_FOUND, PROOF_REVOKED, PROOF_REPLACED]),
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
        params: ProofParams,
        response: responses(Replaced, [
          ...[ADMINS_ONLY, PROOF_NOT_FOUND, PROOF_REVOKED, PROOF_REPLACED, NAME_UNCHANGED, ACCOUNT_DELETED],
        ]),
      },
      preHandler: app.requireAdmin,
    },
    async (request) => ({
      code: await correctName(app.db, actorOf(request), codeOf(request.params), app.clock.now()),
    }),
  )
}

/**
 * Parses the code in a path.
 * @throws PROOF_NOT_FOUND if the code is malformed
 * @example codeOf({ code: 'AB7K9QF2M4X8ZC6T3VN5HRWDJE' }) // 'AB7K9QF2M4X8ZC6T3VN5HRWDJE'
 */
export function codeOf({ code }: { code: string }): string {
  const parsed = parseCode(code)
  if (parsed === undefined) throw PROOF_NOT_FOUND
  return parsed
}

const MAX_PURPOSE = 500

function parsePurpose(text: string): string {
  const purpose = text.trim()
  if (purpose === '') throw new InvalidField('purpose', 'darf nicht leer sein')
  if (purpose.length > MAX_PURPOSE) {
    throw new InvalidField('purpose', `darf höchstens ${MAX_PURPOSE} Zeichen haben`, {
      details: { maximum: MAX_PURPOSE },
    })
  }
  checkLine('purpose', purpose)
  return purpose
}

function view({ code, snapshot, completed_on, issued_at, valid_until, revoked_at, replaced_by }: Proof) {
  const { title } = readSnapshot(snapshot)
  return { code, title, completed_on, issued_at, valid_until, revoked_at, replaced_by }
}

export default proofs
