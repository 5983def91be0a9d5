import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findStoreNumbers } from '../../db/queries/accounts/service.js'
import { listJobRuns } from '../../db/queries/jobs.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { responses } from '../../src/http/schemas.js'
import type { ResultsKeep } from '../../src/services/jobs/job.js'
import { canFit } from '../../src/services/review/fit/binding.js'
import { ServiceState } from './schemas.js'

interface PrivacySettings {
  sessionMaxDays: number
  statisticsMinPersons: number
  answersKeepDays: number
  resultsKeep: ResultsKeep
}

export interface About {
  version: string
  startedAt: Date
  timeZone: string
  simulatedDate: string | undefined
  embedded: boolean
  hasMail: boolean
  privacy: PrivacySettings
}

const service: FastifyPluginAsyncTypebox<{ about: About }> = async (app, { about }) => {
  const { version, startedAt, timeZone, simulatedDate, embedded, hasMail, privacy } = about

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
      } = await findStoreNumbers(app.db)
      const kind: 'embedded' | 'postgresql' = embedded ? 'embedded' : 'postgresql'
      return {
        version,
        started_at: startedAt,
        database: { kind, version: databaseVersion, size_bytes },
        users,
        learners,
        time_zone: timeZone,
        simulated_date: simulatedDate ?? null,
        privacy: {
          session_max_days: privacy.sessionMaxDays,
          statistics_min_persons: privacy.statisticsMinPersons,
          answers_keep_days: privacy.answersKeepDays,
          results_keep: privacy.resultsKeep,
        },
        mail: { configured: hasMail, failed: mails_failed, unknown: mails_unknown },
        can_fit: await canFit(),
        jobs: await listJobRuns(app.db),
      }
    },
  )
}

export default service
