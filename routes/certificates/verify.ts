import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findCertificate } from '../../db/queries/certificates/certificates.js'
import { CERTIFICATE_NOT_FOUND } from '../../src/domain/certificates/refusals.js'
import { readSnapshot } from '../../src/domain/certificates/snapshot.js'
import { responses } from '../../src/http/schemas.js'
import { codeOf } from './index.js'
import { CertificateParams, Verified } from './schemas.js'

const PER_TEN_SECONDS = 20

/** Route that returns the content of a certificate to every caller that knows its code. It needs no login. */
const verification: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:code',
    {
      schema: {
        operationId: 'verifyProof',
        summary: 'The content of a proof, to compare it with the printed proof',
        tags: ['proofs'],
        security: [],
        params: CertificateParams,
        response: responses(Verified, [CERTIFICATE_NOT_FOUND]),
      },
      onRequest: app.limitRequests('certificate verification', PER_TEN_SECONDS),
    },
    async ({ params }) => {
      const certificate = await findCertificate(app.db, codeOf(params))
      if (certificate === undefined) throw CERTIFICATE_NOT_FOUND
      const { code, snapshot, issued_at, revoked_at, replaced_by } = certificate
      const content = readSnapshot(snapshot)
      const { name, title, completed_on, valid_until, parts } = content
      const { issuer = null, for_period = null, replaces = null } = content
      return {
        proof: {
          code,
          issuer,
          name,
          title,
          completed_on,
          for_period,
          issued_at,
          valid_until,
          revoked_at,
          replaced_by,
          replaces,
          parts: parts.map((part) => ({
            kind: part.kind,
            title: part.title,
            lang: 'lang' in part ? (part.lang ?? null) : null,
            variant_title: 'variant_title' in part ? (part.variant_title ?? null) : null,
            done_on: part.done_on,
            version: 'version' in part ? part.version : null,
            confirmed_by: part.kind === 'personal' ? part.confirmed_by : null,
          })),
        },
      }
    },
  )
}

export default verification
