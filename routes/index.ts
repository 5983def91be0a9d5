import type { FastifyPluginAsync } from 'fastify'
import type { OpenDatabase } from '../db/client.js'
import auth from '../plugins/auth.js'
import cors from '../plugins/cors.js'
import crossSite from '../plugins/cross-site.js'
import loadShedding from '../plugins/load-shedding.js'
import rateLimit from '../plugins/rate-limit.js'
import session, { type SessionPluginOptions } from '../plugins/session.js'
import signIn from '../plugins/sign-in.js'
import tokens from '../plugins/tokens.js'
import { relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import { NOT_FOUND } from '../src/domain/refusals.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { Moment } from '../src/domain/time/calendar.js'
import accountRoutes from './accounts/index.js'
import type { About } from './accounts/service.js'
import adminRoutes from './admin/index.js'
import authRoutes from './auth/index.js'
import cheatsheetRoutes from './cheatsheets/index.js'
import contentRoutes from './content/index.js'
import deckRoutes from './decks/index.js'
import quizRoutes from './quiz/index.js'
import reviewRoutes from './review/index.js'
import searchRoutes from './search/index.js'

export interface ApiOptions {
  sessions: SessionPluginOptions
  corsOrigins: string[]
  /** Where people open the service, if somebody has said. */
  publicUrl: string | undefined
  /** The path below which they reach it. */
  basePath: string
  oidc: OidcSettings | undefined
  passwordLogin: boolean
  contentDir: string
  /** A folder on a disk, for uploads while they are read. */
  tmpDir: string
  /** What an upload may take, and what all pictures together. */
  importMaxBytes: number
  mediaMaxBytes: number
  about: About
  /** Requests per second and address; 0 means no limit. */
  rateLimit: number
  poolState: OpenDatabase['poolState']
  /** How late the event loop may be before requests are refused. */
  maxDelayMs: number
  /** The calendar day that counts as today, as `YYYY-MM-DD`. */
  today: () => string
  /** The present instant and its calendar day, taken together; or the day of another instant. */
  moment: (at?: Date) => Moment
}

/** The `/api` scope. What is registered in the inner scopes is protected by them. */
const api: FastifyPluginAsync<ApiOptions> = async (app, options) => {
  const { sessions, corsOrigins, contentDir, tmpDir, importMaxBytes, mediaMaxBytes, today, moment } = options
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  await app.register(cors, { allowedOrigins: corsOrigins })
  await app.register(loadShedding, { maxDelayMs: options.maxDelayMs, poolState: options.poolState })
  await app.register(rateLimit, { perSecond: options.rateLimit })
  await app.register(crossSite, { allowedOrigins: publicUrl ? [...corsOrigins, publicUrl.origin] : corsOrigins })
  await app.register(tokens)
  await app.register(session, sessions)
  await app.register(auth, { today })
  const { oidc, passwordLogin, basePath } = options
  const { isSecure, secrets } = sessions
  await app.register(signIn, { oidc, passwordLogin, publicUrl: options.publicUrl, isSecure, basePath, secrets })

  app.setNotFoundHandler(() => {
    throw NOT_FOUND
  })

  const relyingParty = relyingPartyOf(options.publicUrl)
  await app.register(authRoutes, { prefix: '/auth', relyingParty, basePath })
  await app.register(async (members) => {
    members.addHook('preHandler', members.requireUser)
    await members.register(quizRoutes, { prefix: '/quiz' })
    await members.register(deckRoutes, { prefix: '/decks', today })
    await members.register(cheatsheetRoutes, { prefix: '/cheatsheets' })
    await members.register(reviewRoutes, { prefix: '/review', moment })
    await members.register(searchRoutes, { prefix: '/search' })
    await members.register(accountRoutes, { prefix: '/accounts', about: options.about, relyingParty })
    await members.register(contentRoutes, {
      prefix: '/content',
      contentDir,
      tmpDir,
      importMaxBytes,
      mediaMaxBytes,
      moment,
      timeZone: options.about.timeZone,
    })
    await members.register(async (admins) => {
      admins.addHook('preHandler', admins.requireAdmin)
      await admins.register(adminRoutes, { prefix: '/admin', contentDir, mediaMaxBytes })
    })
  })
}

export default api
