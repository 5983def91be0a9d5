import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import t from 'tap'
import { ROOT } from './support/constants.js'
import { createResponseChecker, type Json } from './support/openapi.js'
import { PROGRAM_OPTIONS } from './support/process.js'
import { startService } from './support/service.js'

const run = promisify(execFile)
const service = await startService(t)
const { anonymous } = service

t.test('the examples of refusals equal the actual responses', async (t) => {
  const { body } = await anonymous.get('/openapi.json')
  const described = (path: string, method: string, status: number) => {
    const response = body.paths[path][method].responses[status]
    const { content } = response.$ref ? body.components.responses[response.$ref.split('/').at(-1)] : response
    const { example, examples } = content['application/json']
    return example ?? Object.values<Json>(examples)[0]?.value
  }
  const client = await service.member()
  const missing = '/api/decks/nicht-da'
  t.strictSame((await client.get(missing)).body, described('/api/decks/{slug}', 'get', 404))
  t.strictSame((await anonymous.get(missing)).body, described('/api/decks/{slug}', 'get', 401))
  t.strictSame((await client.get('/api/accounts/audit')).body, described('/api/accounts/audit', 'get', 403))
  const wrong = { username: 'niemand', password: 'falsches Wort' }
  t.strictSame((await anonymous.post('/api/auth/login', wrong)).body, described('/api/auth/login', 'post', 401))
})

t.test('serves the document without a login, and it passes the linter', async (t) => {
  const response = await anonymous.get('/openapi.json')
  t.equal(response.status, 200)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.match(response.body, {
    openapi: '3.1.0',
    info: { title: 'svc-training', version: /^\d+\.\d+\.\d+$/ },
    components: { securitySchemes: { session: { in: 'cookie' }, token: { scheme: 'bearer' } } },
  })
  t.strictSame(Object.keys(response.body.paths['/api/decks/{slug}'].get.responses), [
    ...['200', '400', '401', '403', '404', '429', '500', '503'],
  ])
  const config = await loadConfig({ configPath: `${ROOT}redocly.yaml` })
  const lint = async (source: string) =>
    (await lintFromString({ source, config })).map(({ ruleId, message }) => `${ruleId}: ${message}`)
  t.strictSame(await lint(response.text), [])
  const { components: _, ...rest } = response.body
  const faulty = { ...rest, paths: { '/x': { get: { responses: {} } } } }
  t.match(
    (await lint(JSON.stringify(faulty))).join('\n'),
    /^operation-/m,
    'the linter finds the faults of an operation',
  )
})

t.test('every input has an example', async (t) => {
  const { body } = await anonymous.get('/openapi.json')
  for (const [path, operations] of Object.entries<Json>(body.paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries<Json>(operations)) {
      const sent = requestBody?.content['application/json']?.schema
      for (const input of [...parameters, ...(sent ? [sent] : [])]) {
        t.match(JSON.stringify(input), /"examples?":/, `${method} ${path} ${input.name ?? 'body'}`)
      }
    }
  }
})

t.test('every schema compiles', async (t) => {
  // Fastify's default compilers compile every schema before the app is ready.
  await t.resolves(startService(t, { schemaController: {} }))
})

t.test('the command line prints the same document', async (t) => {
  const parts = [...PROGRAM_OPTIONS, `${ROOT}dist/src/cli.js`, 'openapi']
  const { stdout } = await run(process.execPath, parts, { env: {}, maxBuffer: 16_777_216 })
  t.strictSame(JSON.parse(stdout), (await anonymous.get('/openapi.json')).body)
})

t.test('generated types match the responses and refuse unknown keys', async (t) => {
  const { body } = await anonymous.get('/openapi.json')
  await mkdir(path.join(ROOT, '.tap'), { recursive: true })
  const folder = await mkdtemp(path.join(ROOT, '.tap', 'client-'))
  t.teardown(() => rm(folder, { recursive: true }))
  // Writes a `.ts` file, because `skipLibCheck` skips `.d.ts` files.
  await writeFile(path.join(folder, 'api.ts'), astToString(await openapiTS(body)))
  const compile = async (programs: Record<string, string>) => {
    const files = Object.keys(programs).map((name) => path.join(folder, `${name}.ts`))
    for (const [name, program] of Object.entries(programs)) await writeFile(path.join(folder, `${name}.ts`), program)
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--lib',
      'es2023',
      '--typeRoots',
      folder,
    ]
    const { stdout } = await run(process.execPath, [
      path.join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc'),
      ...options,
      ...files,
    ]).catch((error: { stdout: string }) => error)
    return stdout.split('\n').filter((line) => line !== '')
  }
  const program = (field: string) => `
    import type { components, paths } from './api.js'
    type Answer = paths['/api/decks']['get']['responses'][200]['content']['application/json']
    export const first = (answer: Answer): components['schemas']['DeckSummary'] | undefined => answer.decks[0]
    export const due = (answer: Answer): number => answer.decks[0]?.${field} ?? 0`
  const complaints = await compile({ right: program('due'), wrong: program('overdue') })
  const isExpected = (line: string) => /wrong\.ts\(.*'overdue' does not exist/.test(line)
  t.equal(complaints.filter((line) => !isExpected(line)).join('\n'), '')
  t.ok(complaints.some(isExpected))
})

t.test('the reference loads nothing external and nothing inline', async (t) => {
  const page = await anonymous.get('/docs/')
  t.equal(page.status, 200)
  t.match(
    page.headers['content-security-policy'],
    /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[^']+';/,
  )
  t.notMatch(page.text, /https?:\/\/|<script[^>]*>\s*[^<\s]|<style|\son[a-z]+=/)
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  t.ok(files.length >= 5)
  for (const file of files) {
    const { status } = await anonymous.get(new URL(file, 'http://localhost/docs/').pathname)
    t.equal(status, 200, file)
  }
  t.strictSame(JSON.parse((await anonymous.get('/docs/json')).text).openapi, '3.1.0')
  for (const path of ['nothing', 'static/', 'static/nothing.js', 'static/%2e%2e%2fpackage.json']) {
    t.match((await anonymous.get(`/docs/${path}`)).body, { statusCode: 404, message: 'Nicht gefunden' }, path)
  }
})

t.test('the response checker of all tests detects differences', async (t) => {
  const check = createResponseChecker((await anonymous.get('/openapi.json')).body)
  const answer = { method: 'GET', url: '/api/decks?x=1', status: 200, contentType: 'application/json; charset=utf-8' }
  const deck = { id: 1, slug: 's', name: 'n', description: '', card_count: 0, reviewed: 0, correct: 0, due: 0 }
  t.strictSame(check({ ...answer, text: JSON.stringify({ decks: [deck] }) }), [])
  t.strictSame(check({ ...answer, text: JSON.stringify({ decks: [{ ...deck, due: 'x' }] }) }), [
    '/decks/0/due must be integer',
  ])
  t.strictSame(check({ ...answer, text: JSON.stringify({ decks: [], more: 1 }) }), [
    '/ must NOT have additional properties',
  ])
  t.strictSame(check({ ...answer, status: 204, text: '' }), ['status 204 is not described'])
  t.not(check({ ...answer, status: 401, text: '{"message":"x"}' }).length, 0)
  t.not(check({ ...answer, url: '/api/nothing', status: 404, text: 'Not Found' }).length, 0)
})
