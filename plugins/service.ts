import fp from 'fastify-plugin'
import type { Logo } from '../src/domain/company/logo.js'
import type { MailSettings } from '../src/domain/mail/settings.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { Language } from '../src/domain/text/language.js'
import { type Clock, calendarIn } from '../src/domain/time/calendar.js'
import type { AssignmentContext } from '../src/services/assignments/plan.js'
import type { ResultsKeep } from '../src/services/jobs/job.js'

/** Settings that plugins and routes read */
export interface ServiceConfig {
  contentDir: string
  /** Folder for temporary files of uploads and exports */
  tmpDir: string
  /** Maximum size of one upload, in bytes */
  importMaxBytes: number
  /** Maximum total size of all pictures, in bytes */
  mediaMaxBytes: number
  /** Maximum age of a session in days since its login, regardless of renewals */
  sessionMaxDays: number
  /** Minimum number of persons for which the statistics of a test are shown */
  statisticsMinPersons: number
  /** Minimum number of days that answers are kept after the person's last attempt at the test has ended */
  answersKeepDays: number
  /** Results of an attempt that stay when its answers are deleted */
  resultsKeep: ResultsKeep
  timeZone: string
  /** Whether `TIME_ZONE` is set; without it, the zone of the machine applies */
  isTimeZoneSet: boolean
  /** Language of the app and of mails, unless the account or the browser names another */
  defaultLanguage: Language
  /** Name of the company on certificates, pages and mails; undefined if not configured */
  companyName: string | undefined
  companyLogo: Logo | undefined
  /** Simulated day at the start of the process, as `YYYY-MM-DD`, for trials; undefined for the real time */
  simulatedDate: string | undefined
  /** Addresses and CIDR blocks of trusted proxies */
  trustProxy: string[]
  /** Same-site origins whose pages may use the API */
  corsOrigins: string[]
  /** Public address, ending with a slash; undefined if not configured */
  publicUrl: string | undefined
  /** Path of the web app, which the proxy strips; with a slash at both ends */
  basePath: string
  oidc: OidcSettings | undefined
  /** Whether SCIM takes over accounts and teams of the same name; see `createScimUser` */
  scimAdopt: boolean
  /** Whether password login is enabled; if false, only emergency accounts may use it */
  passwordLogin: boolean
  /** The mail server; undefined if `SMTP_HOST` or `SMTP_FROM` is missing */
  mail: MailSettings | undefined
  /** IP addresses and CIDR blocks of internal networks to which webhooks may lead */
  webhookAllow: string[]
  /** Whether the web app is served beside the API */
  web: boolean
  /** Maximum requests per second and address in this process, averaged over ten seconds; 0 disables the rate limits. */
  rateLimit: number
}

export interface ServiceClock extends Clock {
  /** IANA name of the time zone that decides when a day begins */
  timeZone: string
  now: () => Date
  /** Returns the current calendar day as `YYYY-MM-DD`. */
  today: () => string
}

declare module 'fastify' {
  interface FastifyInstance {
    config: ServiceConfig
    clock: ServiceClock
    /** What use cases need that plan or complete tasks */
    assignments: AssignmentContext
    /** Aborts long operations, such as imports and exports, when the service stops; the reason is a `Refusal`. */
    stopping: AbortSignal
    /** Returns whether the service is closing; it still serves requests until `stopping` aborts. */
    isClosing: () => boolean
  }
}

export interface ServiceOptions {
  config: ServiceConfig
  now: () => Date
  stopping: AbortSignal
  isClosing: () => boolean
}

/** Makes the configuration, the clock and the state of the shutdown available to all plugins and routes. */
export default fp<ServiceOptions>(
  async (app, { config, now, stopping, isClosing }) => {
    const { timeZone, companyName = null } = config
    const dayOf = calendarIn(timeZone)
    const moment = (at = now()) => ({ at, today: dayOf(at) })
    app.decorate('config', config)
    app.decorate('clock', {
      timeZone,
      now,
      today: () => dayOf(now()),
      moment,
    })
    app.decorate('assignments', { moment, timeZone, issuer: companyName })
    app.decorate('stopping', stopping)
    app.decorate('isClosing', isClosing)
  },
  { name: 'service' },
)
