import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { NOT_FOUND, WEB_NOT_BUILT } from '../src/domain/refusals.js'
import rateLimit from './rate-limit.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a person's link that no route can read with 400 and the page; false when it is not one. */
    showPage?: (request: FastifyRequest, reply: FastifyReply) => boolean
  }
}

/** The page loads its own files and nothing else, and writes HTML only by the policies that are named. */
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

/** A worker has the policy of its own file: under that of the API it could fetch nothing. */
const WORKER = 'sw.js'
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

/** What belongs to others, by the first part of the path: there the page never stands in. */
const NO_PAGES = new Set<string | undefined>(['api', 'docs', 'assets', 'openapi.json', 'healthz', 'readyz', WORKER])

const BASE = /<base href="[^"]*"/

interface Page {
  html: string
  etag: string
}

export interface WebOptions {
  /** The built app: `index.html`, hashed files below `assets/`, and a few others. */
  folder: string
  /** What the page believes to live below, with a slash at both ends. */
  basePath: string
  /** Requests per second and address; 0 means no limit. */
  rateLimit: number
}

/**
 * The web app: its page at `/` and wherever a person goes by a link, and its files. Costs neither a session nor a query.
 * Requests are not shed: an answer from memory is no more work than a refusal.
 */
export default fp<WebOptions>(
  async (app, { folder, basePath, rateLimit: perSecond }) => {
    const page = readPage(folder, basePath)
    const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
      if (page === undefined) throw WEB_NOT_BUILT
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache', etag: page.etag })
      if (knows(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
      return reply.type('text/html; charset=utf-8').send(page.html)
    }

    app.decorate('showPage', (request: FastifyRequest, reply: FastifyReply) => {
      if (page === undefined || !isNavigation(request)) return false
      reply.code(400).headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })
      reply.type('text/html; charset=utf-8').send(page.html)
      return true
    })

    await app.register(async (pages) => {
      await pages.register(rateLimit, { perSecond })
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
      pages.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) =>
        // Their names change with their contents.
        reply.sendFile(`assets/${request.params['*']}`, { cacheControl: true, maxAge: '1y', immutable: true }),
      )
      for (const file of listPublicFiles(folder)) {
        pages.get(`/${file}`, async (_request, reply) => {
          if (file === WORKER) reply.header('content-security-policy', WORKER_POLICY)
          return reply.header('cache-control', 'no-cache').sendFile(file)
        })
      }
    })
  },
  { name: 'web', dependencies: ['errors', 'validation'] },
)

/** The page as it is for this address; undefined when nothing has been built. */
function readPage(folder: string, basePath: string): Page | undefined {
  let built: string
  try {
    built = readFileSync(path.join(folder, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (!BASE.test(built)) throw new Error('the built page has no <base href="…">')
  const html = built.replace(BASE, () => `<base href="${basePath}"`)
  return { html, etag: `"${hash('sha256', html, 'base64url')}"` }
}

/** Everything but the page, what lies below `assets/` and the compressed copies. */
function listPublicFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => file !== 'index.html' && !/^assets\/|(^|\/)\.|\.(br|gz)$/.test(file))
}

/** Whether a person follows a link, and the path is not one of those that others answer. */
function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (NO_PAGES.has(url.split(/[/?]/, 2)[1])) return false
  return headers['sec-fetch-mode'] === 'navigate' || (headers.accept ?? '').includes('text/html')
}

/** A proxy that compresses makes the tag a weak one (RFC 9110, 13.1.2). */
function knows(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
