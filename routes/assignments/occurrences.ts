import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../plugins/auth.js'
import { LOGIN_TOO_OLD } from '../../src/domain/accounts/refusals.js'
import { checkDay, parseAssignmentNote, parseReason } from '../../src/domain/assignments/assignment.js'
import {
  HELD_TOO_EARLY,
  NO_SUCH_PART,
  NOT_AN_OVERSEER,
  NOT_RESPONSIBLE,
  OCCURRENCE_CLOSED,
  OCCURRENCE_NOT_FOUND,
  OCCURRENCE_NOT_MISSED,
  OWN_OCCURRENCE,
  OWN_PERSONAL_PART,
  PART_NOT_OPEN_YET,
  SHEET_CHANGED,
} from '../../src/domain/assignments/refusals.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import {
  confirmPersonal,
  confirmSheet,
  type Decision,
  exempt,
  extend,
  grantAttempt,
  recognise,
  reopen,
} from '../../src/services/assignments/act.js'
import { formRequestOf } from '../../src/services/create-once.js'
import { ConfirmPartBody, ConfirmPersonalBody, DecisionBody, GrantBody, OccurrenceParams } from './schemas.js'

const DECISION = [NOT_RESPONSIBLE, OWN_OCCURRENCE, OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED]
const REOPENING = [NOT_RESPONSIBLE, OWN_OCCURRENCE, OCCURRENCE_NOT_FOUND, OCCURRENCE_NOT_MISSED]

/**
 * Decisions of the responsible person about another person. Each needs a reason; `extend` and `reopen` require
 * the day `until`.
 */
const DECISIONS = [
  {
    path: '/:id/exempt',
    operationId: 'exemptOccurrence',
    summary: 'Exempt a person from an occurrence',
    description: 'With `until`, the next occurrence is due at the end of that day.',
    decide: exempt,
  },
  {
    path: '/:id/recognise',
    operationId: 'recogniseProof',
    summary: 'Recognise an external proof',
    description: 'With `until`, the next occurrence is due at the end of that day.',
    decide: recognise,
  },
  {
    path: '/:id/extend',
    operationId: 'extendOccurrence',
    summary: 'Extend the due day of an occurrence',
    description: '`until` is required and must be later than the current due day.',
    decide: extend,
  },
  {
    path: '/:id/reopen',
    operationId: 'reopenOccurrence',
    summary: 'Open a missed occurrence again',
    description: '`until` is required. The occurrence stands beside the one of the current period.',
    decide: reopen,
  },
]

const occurrences: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/:id/confirm',
    {
      schema: {
        operationId: 'confirmSheet',
        summary: 'Confirm that the caller has read the sheet of a part',
        tags: ['assignments'],
        params: OccurrenceParams,
        body: ConfirmPartBody,
        response: responses(Done, [
          ...[OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED, PART_NOT_OPEN_YET, SHEET_CHANGED, NO_SUCH_PART],
        ]),
      },
    },
    async ({ params, body, user, languages }) => {
      const { part, lang, version, sheet_updated_at } = body
      const updatedAt = sheet_updated_at === undefined ? undefined : new Date(sheet_updated_at)
      const confirmation = { id: occurrenceIdOf(params), part, lang, languages, version, updatedAt }
      await confirmSheet(app.db, user.id, confirmation, app.assignments)
      return { ok: true as const }
    },
  )

  app.post(
    '/confirm-personal',
    {
      schema: {
        operationId: 'confirmPersonal',
        summary: 'Confirm the personal parts of occurrences, all or none',
        description: `For the responsible person and the leads of the persons, but not for themselves. Requires a login
within the last ten minutes.`,
        tags: ['assignments'],
        body: ConfirmPersonalBody,
        response: responses(Done, [
          ...[LOGIN_TOO_OLD, NOT_AN_OVERSEER, OWN_PERSONAL_PART],
          ...[OCCURRENCE_NOT_FOUND, OCCURRENCE_CLOSED, PART_NOT_OPEN_YET, NO_SUCH_PART].map((refusal) =>
            refusal.at('ids'),
          ),
          HELD_TOO_EARLY,
        ]),
      },
      preHandler: [app.requireFreshLogin, app.requireInstructor],
    },
    async (request) => {
      const { ids, held_on, note } = request.body
      checkDay('held_on', held_on)
      const instruction = { ids, held_on, note: note === undefined ? null : parseAssignmentNote('note', note) }
      await confirmPersonal(app.db, actorOf(request), instruction, request.user.display_name, app.assignments)
      return { ok: true as const }
    },
  )

  for (const { path, decide, ...words } of DECISIONS) {
    app.post(
      path,
      {
        schema: {
          ...words,
          tags: ['assignments'],
          params: OccurrenceParams,
          body: DecisionBody,
          response: responses(Done, decide === reopen ? REOPENING : DECISION),
        },
        onRequest: app.requireResponsible,
      },
      async (request) => {
        await decide(app.db, actorOf(request), decisionOf(request), app.assignments)
        return { ok: true as const }
      },
    )
  }

  app.post(
    '/:id/grant-attempt',
    {
      schema: {
        operationId: 'grantAttempt',
        summary: 'Give a person one more attempt at the tests of an occurrence',
        tags: ['assignments'],
        params: OccurrenceParams,
        body: GrantBody,
        response: responses(Done, [...DECISION, NO_SUCH_PART, new ClientIdUsed({ id: 17 })]),
      },
      onRequest: app.requireResponsible,
    },
    async (request) => {
      const { body, params, user } = request
      const decision = { id: occurrenceIdOf(params), reason: parseReason(body.reason) }
      await grantAttempt(app.db, actorOf(request), decision, app.assignments, formRequestOf(user, body))
      return { ok: true as const }
    },
  )
}

function occurrenceIdOf({ id }: { id: string }): number {
  const parsed = parseRowId(id, 'Ungültige Aufgaben-ID')
  if (parsed === undefined) throw OCCURRENCE_NOT_FOUND
  return parsed
}

type DecisionRequest = Pick<
  FastifyRequest<{ Params: { id: string }; Body: { reason: string; until?: string } }>,
  'params' | 'body'
>

function decisionOf({ params, body: { reason, until } }: DecisionRequest): Decision {
  if (until !== undefined) checkDay('until', until)
  return { id: occurrenceIdOf(params), reason: parseReason(reason), until }
}

export default occurrences
