import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findProof } from '../../db/queries/proofs/proofs.js'
import { PROOF_NOT_FOUND } from '../../src/domain/proofs/refusals.js'
import { readSnapshot } from '../../src/domain/proofs/snapshot.js'
import { responses } from '../../src/http/schemas.js'
import { codeOf } from './index.js'
import { ProofParams, Verified } from './schemas.js'

const PER_TEN_SECONDS = 20

/** Route that returns the content of a proof to every caller that knows its code. It needs no login. */
const verification: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:code',
    {
      schema: {
        operationId: 'verifyProof',
        summary: 'The content of a proof, to compare it with the printed proof',
        tags: ['proofs'],
        security: [],
        params: ProofParams,
        response: responses(Verified, [PROOF_NOT_FOUND]),
      },
      onRequest: app.limitRequests('proof verification', PER_TEN_SECONDS),
    },
    async ({ params }) => {
      const proof = await findProof(app.db, codeOf(params))
      if (proof === undefined) throw PROOF_NOT_FOUND
      const { code, snapshot, issued_at, revoked_at, replaced_by } = proof
      const { name, title, completed_on, valid_until, replaces = null, parts } = readSnapshot(snapshot)
      return {
        proof: {
          ...{ code, name, title, completed_on, issued_at, valid_until, revoked_at, replaced_by, replaces },
          parts: parts.map((part) => ({
            ...{ kind: part.kind, title: part.title, done_on: part.done_on },
            version: 'version' in part ? part.version : null,
            confirmed_by: part.kind === 'personal' ? part.confirmed_by : null,
          })),
        },
      }
    },
  )
}

export default verification
