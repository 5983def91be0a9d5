import type { FastifyPluginAsync } from 'fastify'
import auth from '../plugins/auth.js'
import cors from '../plugins/cors.js'
import crossSite from '../plugins/cross-site.js'
import fairShare from '../plugins/fair-share.js'
import loadShedding from '../plugins/load-shedding.js'
import provider from '../plugins/provider.js'
import rateLimit from '../plugins/rate-limit.js'
import rights from '../plugins/rights.js'
import session from '../plugins/session.js'
import signIn from '../plugins/sign-in.js'
import tokens from '../plugins/tokens.js'
import { NOT_FOUND } from '../src/http/refusals.js'
import accountRoutes from './accounts/index.js'
import adminRoutes from './admin/index.js'
import assignmentRoutes from './assignments/index.js'
import authRoutes from './auth/index.js'
import calendarFeed from './calendar/feed.js'
import calendarRoutes from './calendar/index.js'
import certificateRoutes from './certificates/index.js'
import certificateVerification from './certificates/verify.js'
import cheatsheetRoutes from './cheatsheets/index.js'
import contentRoutes from './content/index.js'
import deckExport from './decks/export.js'
import deckRoutes from './decks/index.js'
import mailLinks from './mail/links.js'
import mailOutbox from './mail/outbox.js'
import ownMail from './mail/own.js'
import quizRoutes from './quiz/index.js'
import reviewRoutes from './review/index.js'
import searchRoutes from './search/index.js'
import setupRoutes from './setup/index.js'
import teamRoutes from './teams/index.js'
import testRoutes from './tests/index.js'
import variantRoutes from './variants/index.js'
import webhookRoutes from './webhooks/index.js'

export interface ApiOptions {
  /** The first secret signs cookies; all secrets verify them. */
  sessionSecrets: string[]
  maxDelayMs: number
}

const api: FastifyPluginAsync<ApiOptions> = async (app, { sessionSecrets: secrets, maxDelayMs }) => {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  // HEAD of a public route responds as GET. In the groups that require a login, HEAD gets the fallback of the group.
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' && route.schema?.security?.length === 0) route.method = ['GET', 'HEAD']
  })
  await app.register(cors)
  await app.register(loadShedding, { maxDelayMs })
  await app.register(rateLimit)
  await app.register(crossSite)
  await app.register(provider)
  await app.register(tokens)
  await app.register(session, { secrets })
  await app.register(auth)
  await app.register(rights)
  await app.register(fairShare)
  await app.register(signIn, { secrets })

  app.setNotFoundHandler(() => {
    throw NOT_FOUND
  })

  await app.register(authRoutes, { prefix: '/auth' })
  await app.register(certificateVerification, { prefix: '/proofs/verify' })
  await app.register(calendarFeed, { prefix: '/calendar' })
  await app.register(mailLinks, { prefix: '/mail' })
  await app.register(async (members) => {
    members.addHook('preHandler', members.requireUser)
    await members.register(quizRoutes, { prefix: '/quiz' })
    await members.register(deckExport, { prefix: '/decks' })
    await members.register(deckRoutes, { prefix: '/decks' })
    await members.register(cheatsheetRoutes, { prefix: '/cheatsheets' })
    await members.register(reviewRoutes, { prefix: '/review' })
    await members.register(testRoutes, { prefix: '/tests' })
    await members.register(variantRoutes, { prefix: '/variants' })
    await members.register(searchRoutes, { prefix: '/search' })
    await members.register(accountRoutes, { prefix: '/accounts' })
    await members.register(teamRoutes, { prefix: '/teams' })
    await members.register(certificateRoutes, { prefix: '/proofs' })
    await members.register(calendarRoutes, { prefix: '/calendar' })
    await members.register(assignmentRoutes, { prefix: '/assignments' })
    await members.register(ownMail, { prefix: '/mail' })
    await members.register(contentRoutes, { prefix: '/content' })
    await members.register(async (admins) => {
      admins.addHook('preHandler', admins.requireAdmin)
      await admins.register(mailOutbox, { prefix: '/mail' })
      await admins.register(adminRoutes, { prefix: '/admin' })
      await admins.register(setupRoutes, { prefix: '/setup' })
      await admins.register(webhookRoutes, { prefix: '/webhooks' })
    })
  })
}

export default api
