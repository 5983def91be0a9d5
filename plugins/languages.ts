import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { findAppLanguage, type Language, type Reader, readerLanguages } from '../src/domain/text/language.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Languages that the caller understands (BCP 47), best first, for content */
    readonly languages: string[]
    /** Language of the app for the caller */
    readonly appLanguage: Language
  }
}

/**
 * Cookie with the language that was chosen in this browser; the app sets it, so that pages without a session have it.
 * `.account` marks one that repeats the setting of an account.
 */
const CHOSEN = /(?:^|;\s*)language=([a-z]{2})(?:\.account)?(?:;|$)/

/**
 * Tells the languages of the caller: the setting of the account, then the one chosen in this browser, then those that
 * the browser sends. `appLanguage` falls back to the default.
 */
export default fp(
  async (app) => {
    const { defaultLanguage } = app.config
    app.decorateRequest('languages', {
      getter() {
        return readerLanguages(readerOf(this, settingOf(this)))
      },
    })
    app.decorateRequest('appLanguage', {
      getter() {
        return findAppLanguage(readerOf(this, settingOf(this))) ?? defaultLanguage
      },
    })
  },
  { name: 'languages', dependencies: ['service'] },
)

/** Adds the headers on which `appLanguage` depends to `Vary`, which may name others, such as `Origin`. */
export function varyByLanguage(reply: FastifyReply): void {
  const earlier = reply.getHeader('vary')
  reply.header('vary', `${earlier === undefined ? '' : `${earlier}, `}Accept-Language, Cookie`)
}

/** Returns the language that the query names, else that of the app for the caller, and then varies the response by it. */
export function languageFor(request: FastifyRequest, reply: FastifyReply, named: Language | undefined): Language {
  if (named !== undefined) return named
  varyByLanguage(reply)
  return request.appLanguage
}

/** @param setting language of the account */
export function readerOf({ headers }: FastifyRequest, setting: Language | null | undefined): Reader {
  const [, chosen] = CHOSEN.exec(headers.cookie ?? '') ?? []
  return { setting, accepted: [chosen, headers['accept-language']].filter(Boolean).join(',') || undefined }
}

/** Returns the setting of the caller's account. Requests for pages of the app have no session. */
function settingOf({ tokenUser, session }: FastifyRequest): Language | null | undefined {
  return tokenUser === undefined ? session?.stored?.user.language : tokenUser?.language
}
