import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { logoUrl } from '../src/domain/company/logo.js'
import { escapeHtml } from '../src/domain/text/html.js'
import { matchesEtag } from '../src/http/matches-etag.js'
import { NOT_FOUND, WEB_NOT_BUILT } from '../src/http/refusals.js'
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

/** First path segments below which unknown paths get a 404 instead of the page */
const NO_PAGES = new Set<string | undefined>(['api', 'docs', 'assets', 'openapi.json', 'healthz', 'readyz', WORKER])

/** Places in the built page that the service fills */
const BASE = '<base href="/"'
const TITLE = '<title>Training</title>'
const COMPANY = '<meta name="company" content=""'
const COMPANY_LOGO = '<meta name="company-logo" content=""'

interface Tagged {
  text: string
  etag: string
}

export interface WebOptions {
  /** Folder of the built app: `index.html`, hashed files below `assets/`, and public files */
  folder: string
}

/**
 * Serves the web app: its files, and the page for `/` and other navigations. These requests are not refused during
 * overload, because the page comes from memory and costs no more than a refusal.
 */
export default fp<WebOptions>(
  async (app, { folder }) => {
    const page = readPage(folder, app.config)
    const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
      if (page === undefined) throw WEB_NOT_BUILT
      // Search engines must not index the pages of certificates, whose addresses contain a secret code.
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache', 'x-robots-tag': 'noindex' })
      reply.header('etag', page.etag)
      if (matchesEtag(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
      return reply.type('text/html; charset=utf-8').send(page.text)
    }

    app.decorate('showPage', (request: FastifyRequest, reply: FastifyReply) => {
      if (page === undefined || !isNavigation(request)) return false
      reply.code(400).headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })
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
      if (page === undefined) return

      await pages.register(fastifyStatic, {
        root: folder,
        serve: false,
        index: false,
        preCompressed: true,
        acceptRanges: false,
        cacheControl: false,
      })
      const { assets, others } = listFiles(folder)
      pages.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
        const file = `assets/${request.params['*']}`
        // Only names of known files become paths, so no `..` reaches the file system.
        if (!assets.has(file)) throw NOT_FOUND
        // File names contain a content hash.
        return reply.sendFile(file, { cacheControl: true, maxAge: '1y', immutable: true })
      })
      for (const file of others) {
        if (file === WORKER) continue
        pages.get(`/${file}`, (_request, reply) => reply.header('cache-control', 'no-cache').sendFile(file))
      }
      // The worker keeps the page. A change of its text makes browsers install the worker again, with the new page.
      const worker = withEtag(`${readFileSync(path.join(folder, WORKER), 'utf8')}\n// page ${page.etag}\n`)
      pages.get(`/${WORKER}`, (request, reply) => {
        reply.headers({ 'content-security-policy': WORKER_POLICY, 'cache-control': 'no-cache', etag: worker.etag })
        if (matchesEtag(request.headers['if-none-match'], worker.etag)) return reply.code(304).send()
        return reply.type('text/javascript; charset=utf-8').send(worker.text)
      })
    })
  },
  { name: 'web', dependencies: ['errors', 'validation'] },
)

/**
 * Reads the page and fills in the base path, the name of the company and its logo. Returns undefined if the app has not
 * been built.
 */
function readPage(folder: string, { basePath, companyName, companyLogo }: ServiceConfig): Tagged | undefined {
  let built: string
  try {
    built = readFileSync(path.join(folder, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const company = escapeHtml(companyName ?? '')
  const html = [
    [BASE, `<base href="${basePath}"`],
    [TITLE, company === '' ? TITLE : `<title>Training · ${company}</title>`],
    [COMPANY, `<meta name="company" content="${company}"`],
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

function listFiles(folder: string): { assets: Set<string>; others: string[] } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => file !== 'index.html' && !/(^|\/)\.|\.(br|gz)$/.test(file))
  const isAsset = (file: string) => file.startsWith('assets/')
  return { assets: new Set(files.filter(isAsset)), others: files.filter((file) => !isAsset(file)) }
}

function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (NO_PAGES.has(url.split(/[/?]/, 2)[1])) return false
  return headers['sec-fetch-mode'] === 'navigate' || (headers.accept ?? '').includes('text/html')
}
