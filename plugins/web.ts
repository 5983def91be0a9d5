import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { logoUrl } from '../src/domain/company/logo.js'
import { escapeHtml } from '../src/domain/text/html.js'
import { LANGUAGES as LANGUAGE_TAGS } from '../src/domain/text/language.js'
import { matchesEtag } from '../src/http/matches-etag.js'
import { NOT_FOUND, WEB_NOT_BUILT } from '../src/http/refusals.js'
import { varyByLanguage } from './languages.js'
import rateLimit from './rate-limit.js'
import type { ServiceConfig } from './service.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Sends the page with status 400 for a navigation to a malformed address. Returns false and sends nothing if the
     * request is not a navigation or the app has not been built.
     */
    showPage?: (request: FastifyRequest, reply: FastifyReply) => boolean
  }
}

/**
 * Content security policy of the page. It allows files of our own origin and `data:` images. HTML and script URLs must
 * pass through one of the listed Trusted Types policies.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html dompurify service-worker',
].join('; ')

/** File of the service worker. The policy in its response applies to the requests that the worker sends. */
const WORKER = 'sw.js'
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

const MANIFEST = 'manifest.webmanifest'

/** First path segments below which unknown paths get a 404 instead of the page */
const NO_PAGES = new Set<string | undefined>([
  'api',
  'scim',
  'docs',
  'assets',
  'openapi.json',
  'healthz',
  'readyz',
  WORKER,
])

/** Language of the page at the top of the folder; the page of each other language is in a folder named by its tag */
const SOURCE_LANGUAGE = 'de'

/** Places in the built page that the service fills */
const BASE = '<base href="/"'
const TITLE = '<title>Training</title>'
const COMPANY = '<meta name="company" content=""'
const COMPANY_LOGO = '<meta name="company-logo" content=""'
const LANGUAGES = '<meta name="languages" content="de"'

interface Tagged {
  text: string
  etag: string
}

/** The app in one language */
interface Edition {
  page: Tagged
  worker: Tagged
}

export interface WebOptions {
  /**
   * Folder of the built app: `index.html`, hashed files below `assets/`, and public files; a subfolder such as `en` has
   * the same in another language
   */
  folder: string
}

/**
 * Serves the web app: its files, and the page for `/` and other navigations. These requests are not refused during
 * overload, because the page comes from memory and costs no more than a refusal.
 */
export default fp<WebOptions>(
  async (app, { folder }) => {
    const editions = readEditions(folder, app.config)
    const german = editions.get(SOURCE_LANGUAGE)
    const editionFor = ({ appLanguage }: FastifyRequest) => editions.get(appLanguage) ?? german
    const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
      const page = editionFor(request)?.page
      if (page === undefined) throw WEB_NOT_BUILT
      // Search engines must not index the pages of certificates, whose addresses contain a secret code.
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache', 'x-robots-tag': 'noindex' })
      varyByLanguage(reply)
      reply.header('etag', page.etag)
      if (matchesEtag(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
      return reply.type('text/html; charset=utf-8').send(page.text)
    }

    app.decorate('showPage', (request: FastifyRequest, reply: FastifyReply) => {
      const page = editionFor(request)?.page
      if (page === undefined || !isNavigation(request)) return false
      reply.code(400).headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })
      varyByLanguage(reply)
      reply.type('text/html; charset=utf-8').send(page.text)
      return true
    })

    await app.register(async (pages) => {
      await pages.register(rateLimit)
      pages.addHook('onRoute', (route) => {
        route.method = ['GET', 'HEAD']
        route.schema = { hide: true }
      })
      pages.setNotFoundHandler((request, reply) => {
        if (!isNavigation(request)) throw NOT_FOUND
        return sendPage(request, reply)
      })
      pages.get('/', sendPage)
      if (german === undefined) return

      await pages.register(fastifyStatic, {
        root: folder,
        serve: false,
        index: false,
        preCompressed: true,
        acceptRanges: false,
        cacheControl: false,
      })
      const { assets, others } = listFiles(folder, [...editions.keys()])
      pages.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
        // Only names of known files become paths, so no `..` reaches the file system.
        const file = assets.get(request.params['*'])
        if (file === undefined) throw NOT_FOUND
        // File names contain a content hash.
        return reply.sendFile(file, { cacheControl: true, maxAge: '1y', immutable: true })
      })
      for (const file of others) {
        if (file === WORKER || file === MANIFEST) continue
        pages.get(`/${file}`, (_request, reply) => reply.header('cache-control', 'no-cache').sendFile(file))
      }
      pages.get(`/${MANIFEST}`, (request, reply) => {
        const language = editions.has(request.appLanguage) ? request.appLanguage : SOURCE_LANGUAGE
        varyByLanguage(reply)
        reply.header('cache-control', 'no-cache')
        return reply.sendFile(path.posix.join(folderOf(language), MANIFEST))
      })
      pages.get(`/${WORKER}`, (request, reply) => {
        const { worker } = editionFor(request) ?? german
        varyByLanguage(reply)
        reply.headers({ 'content-security-policy': WORKER_POLICY, 'cache-control': 'no-cache', etag: worker.etag })
        if (matchesEtag(request.headers['if-none-match'], worker.etag)) return reply.code(304).send()
        return reply.type('text/javascript; charset=utf-8').send(worker.text)
      })
    })
  },
  { name: 'web', dependencies: ['errors', 'validation'] },
)

/** Reads the built app by language; without entries if it has not been built. */
function readEditions(folder: string, config: ServiceConfig): Map<string, Edition> {
  const isBuilt = (language: string) => existsSync(path.join(folder, folderOf(language), 'index.html'))
  const languages = [SOURCE_LANGUAGE, ...LANGUAGE_TAGS.filter((language) => language !== SOURCE_LANGUAGE)].filter(
    isBuilt,
  )
  return new Map(
    languages.map((language) => {
      const page = readPage(path.join(folder, folderOf(language)), languages, config)
      // The worker keeps the page. A change of its text makes browsers install the worker again, with the new page.
      const worker = readFileSync(path.join(folder, folderOf(language), WORKER), 'utf8')
      return [language, { page, worker: withEtag(`${worker}\n// page ${page.etag}\n`) }]
    }),
  )
}

const folderOf = (language: string) => (language === SOURCE_LANGUAGE ? '' : language)

/** Reads the page and fills in the base path, the languages, the name of the company and its logo. */
function readPage(folder: string, languages: string[], { basePath, companyName, companyLogo }: ServiceConfig): Tagged {
  const built = readFileSync(path.join(folder, 'index.html'), 'utf8')
  const company = escapeHtml(companyName ?? '')
  const html = [
    [BASE, `<base href="${basePath}"`],
    [TITLE, company === '' ? TITLE : `<title>Training · ${company}</title>`],
    [COMPANY, `<meta name="company" content="${company}"`],
    [LANGUAGES, `<meta name="languages" content="${languages.join(' ')}"`],
    [COMPANY_LOGO, `<meta name="company-logo" content="${logoUrl(companyLogo) ?? ''}"`],
  ].reduce((text, [place = '', value = '']) => {
    if (!text.includes(place)) throw new Error(`the built page lacks ${place}`)
    return text.replace(place, () => value)
  }, built)
  return withEtag(html)
}

function withEtag(text: string): Tagged {
  return { text, etag: `"${hash('sha256', text, 'base64url')}"` }
}

/** Lists the hashed files of all languages, by the name below `assets/`, and the other files, which are German. */
function listFiles(folder: string, languages: string[]): { assets: Map<string, string>; others: string[] } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => file !== 'index.html' && !/(^|\/)\.|\.(br|gz)$/.test(file))
  const folders = languages.map(folderOf).filter(Boolean)
  const assets = files.flatMap((file) => {
    const [, name] = /^(?:[a-z]{2}\/)?assets\/(.+)$/.exec(file) ?? []
    return name === undefined ? [] : [[name, file] as const]
  })
  const isAsset = (file: string) => file.startsWith('assets/')
  const isTranslated = (file: string) => folders.some((language) => file.startsWith(`${language}/`))
  return { assets: new Map(assets), others: files.filter((file) => !isAsset(file) && !isTranslated(file)) }
}

function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (NO_PAGES.has(url.split(/[/?]/, 2)[1])) return false
  return headers['sec-fetch-mode'] === 'navigate' || (headers.accept ?? '').includes('text/html')
}
