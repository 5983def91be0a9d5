import type { FastifyPluginAsync } from 'fastify'
import type { OpenDatabase } from '../db/client.js'
import auth from '../plugins/auth.js'
import cors from '../plugins/cors.js'
import crossSite from '../plugins/cross-site.js'
import fairShare from '../plugins/fair-share.js'
import loadShedding from '../plugins/load-shedding.js'
import rateLimit from '../plugins/rate-limit.js'
import rights from '../plugins/rights.js'
import session, { type SessionPluginOptions } from '../plugins/session.js'
import signIn from '../plugins/sign-in.js'
import tokens from '../plugins/tokens.js'
import { relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import type { MailSettings } from '../src/domain/mail/settings.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { Moment } from '../src/domain/time/calendar.js'
import { NOT_FOUND } from '../src/http/refusals.js'
import accountRoutes from './accounts/index.js'
import type { About } from './accounts/service.js'
import adminRoutes from './admin/index.js'
import assignmentRoutes from './assignments/index.js'
import authRoutes from './auth/index.js'
import calendarFeed from './calendar/feed.js'
import calendarRoutes from './calendar/index.js'
import cheatsheetRoutes from './cheatsheets/index.js'
import contentRoutes from './content/index.js'
import deckExport from './decks/export.js'
import deckRoutes from './decks/index.js'
import mailLinks from './mail/links.js'
import mailOutbox from './mail/outbox.js'
import ownMail from './mail/own.js'
import proofRoutes from './proofs/index.js'
import proofVerification from './proofs/verify.js'
import quizRoutes from './quiz/index.js'
import reviewRoutes from './review/index.js'
import searchRoutes from './search/index.js'
import teamRoutes from './teams/index.js'
import testRoutes from './tests/index.js'

export interface ApiOptions {
  sessions: Omit<SessionPluginOptions, 'today'>
  corsOrigins: string[]
  publicUrl: string | undefined
  basePath: string
  mail: MailSettings | undefined
  oidc: OidcSettings | undefined
  passwordLogin: boolean
  contentDir: string
  /** Folder for temporary files of uploads and exports */
  tmpDir: string
  /** Maximum size of one upload, in bytes */
  importMaxBytes: number
  /** Maximum total size of all pictures, in bytes */
  mediaMaxBytes: number
  statisticsMinPersons: number
  about: About
  rateLimit: number
  poolState: OpenDatabase['poolState']
  maxDelayMs: number
  /** Aborts long operations, such as imports, exports and PDF rendering, when the service stops */
  stopping: AbortSignal
  /** Returns the current calendar day as `YYYY-MM-DD`. */
  today: () => string
  /** Returns an instant (default: now) together with its calendar day. */
  moment: (at?: Date) => Moment
}

const api: FastifyPluginAsync<ApiOptions> = async (app, options) => {
  const { sessions, corsOrigins, contentDir, tmpDir, importMaxBytes, mediaMaxBytes, stopping, today, moment } = options
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  // HEAD of a public route responds as GET. In the groups that require a login, HEAD gets the fallback of the group.
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' && route.schema?.security?.length === 0) route.method = ['GET', 'HEAD']
  })
  await app.register(cors, { allowedOrigins: corsOrigins })
  await app.register(loadShedding, { maxDelayMs: options.maxDelayMs, poolState: options.poolState })
  await app.register(rateLimit, { perSecond: options.rateLimit })
  await app.register(crossSite, { allowedOrigins: corsOrigins, ownOrigin: publicUrl?.origin })
  await app.register(tokens, { today })
  await app.register(session, { ...sessions, today })
  await app.register(auth, { today })
  await app.register(rights)
  await app.register(fairShare)
  const { oidc, passwordLogin, basePath } = options
  const { isSecure, secrets } = sessions
  await app.register(signIn, { oidc, passwordLogin, publicUrl: options.publicUrl, isSecure, basePath, secrets })

  app.setNotFoundHandler(() => {
    throw NOT_FOUND
  })

  // Mails to users contain links, so the service sends them only if a public address is configured.
  const mailLinkUrl = options.mail === undefined ? undefined : options.publicUrl
  const relyingParty = relyingPartyOf(options.publicUrl)
  await app.register(authRoutes, { prefix: '/auth', relyingParty, basePath, today })
  await app.register(proofVerification, { prefix: '/proofs/verify' })
  await app.register(calendarFeed, { prefix: '/calendar', publicUrl: options.publicUrl, basePath, today })
  await app.register(mailLinks, { prefix: '/mail', moment })
  await app.register(async (members) => {
    members.addHook('preHandler', members.requireUser)
    await members.register(quizRoutes, { prefix: '/quiz' })
    await members.register(deckExport, { prefix: '/decks', today })
    await members.register(deckRoutes, { prefix: '/decks', today })
    await members.register(cheatsheetRoutes, { prefix: '/cheatsheets' })
    await members.register(reviewRoutes, { prefix: '/review', moment })
    await members.register(testRoutes, { prefix: '/tests', moment, timeZone: options.about.timeZone })
    await members.register(searchRoutes, {
      prefix: '/search',
      isEmbedded: options.about.embedded,
      poolState: options.poolState,
    })
    await members.register(accountRoutes, { prefix: '/accounts', about: options.about, relyingParty, today, moment })
    await members.register(teamRoutes, { prefix: '/teams', today })
    await members.register(proofRoutes, {
      ...{ prefix: '/proofs', moment, publicUrl: options.publicUrl, basePath, stopping },
    })
    await members.register(calendarRoutes, { prefix: '/calendar', publicUrl: options.publicUrl, basePath })
    await members.register(assignmentRoutes, {
      prefix: '/assignments',
      contentDir,
      sendsMail: mailLinkUrl !== undefined,
      moment,
      timeZone: options.about.timeZone,
      stopping,
    })
    await members.register(ownMail, { prefix: '/mail', mailLinkUrl, timeZone: options.about.timeZone, moment })
    await members.register(contentRoutes, {
      prefix: '/content',
      contentDir,
      tmpDir,
      importMaxBytes,
      mediaMaxBytes,
      stopping,
      moment,
      timeZone: options.about.timeZone,
      statisticsMinPersons: options.statisticsMinPersons,
    })
    await members.register(async (admins) => {
      admins.addHook('preHandler', admins.requireAdmin)
      await admins.register(mailOutbox, {
        prefix: '/mail',
        mail: options.mail,
        isMailHeld: options.about.simulatedDate !== undefined,
        publicUrl: options.publicUrl,
        moment,
        stopping,
      })
      await admins.register(adminRoutes, { prefix: '/admin', contentDir, mediaMaxBytes, stopping, today })
    })
  })
}

export default api
