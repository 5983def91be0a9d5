import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findStoreNumbers } from '../../db/queries/accounts/service.js'
import { listJobRuns } from '../../db/queries/jobs.js'
import { ADMINS_ONLY, AUDITORS_ONLY } from '../../src/domain/accounts/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { VERSION } from '../../src/http/version.js'
import { canFit } from '../../src/services/review/fit/binding.js'
import { PrivacySettings, ServiceState } from './schemas.js'

const service: FastifyPluginAsyncTypebox = async (app) => {
  const { config } = app
  const startedAt = app.clock.now()
  const privacy = {
    session_max_days: config.sessionMaxDays,
    statistics_min_persons: config.statisticsMinPersons,
    answers_keep_days: config.answersKeepDays,
    results_keep: config.resultsKeep,
  }

  app.get(
    '/privacy',
    {
      schema: {
        operationId: 'getPrivacySettings',
        summary: 'Settings for the retention and visibility of personal data',
        tags: ['accounts'],
        response: responses(PrivacySettings, [AUDITORS_ONLY]),
      },
      preHandler: app.requireAuditReader,
    },
    async () => ({ privacy }),
  )

  app.get(
    '/service',
    {
      schema: {
        operationId: 'getServiceState',
        summary: 'Version, database and counts of the service',
        tags: ['accounts'],
        response: responses(ServiceState, [ADMINS_ONLY]),
      },
      preHandler: app.requireAdmin,
    },
    async () => {
      const {
        version: databaseVersion,
        size_bytes,
        users,
        learners,
        mails_failed,
        mails_unknown,
        webhooks_paused,
      } = await findStoreNumbers(app.db)
      const kind: 'embedded' | 'postgresql' = app.database.embedded ? 'embedded' : 'postgresql'
      return {
        version: VERSION,
        started_at: startedAt,
        database: { kind, version: databaseVersion, size_bytes },
        users,
        learners,
        time_zone: config.timeZone,
        simulated_date: config.simulatedDate ?? null,
        privacy,
        mail: { configured: config.mail !== undefined, failed: mails_failed, unknown: mails_unknown },
        webhooks: { paused: webhooks_paused },
        can_fit: await canFit(),
        jobs: await listJobRuns(app.db),
      }
    },
  )
}

export default service
