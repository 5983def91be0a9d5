import { readFile } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/types.js'
import { SCOPES, type Scope, TOKEN_SCOPES } from '../../src/domain/accounts/scopes.js'
import { ROOT } from './constants.js'
import { defineTest } from './edited-tests.js'
import { createEditor, createSource } from './editing.js'
import { createCard, createCheatsheet, createDeck, createUser, unique } from './factories.js'
import type { Json } from './openapi.js'
import { type Caller, callerOf, type Service } from './service.js'

const SESSIONS = ['anonymous', 'learner', 'author', 'other', 'editor', 'admin', 'auditor'] as const

/**
 * Tokens with their scopes: one of the editor, which shows that a token has only the rights of its owner, and one of the
 * administrator for each scope
 */
export const TOKENS: ReadonlyMap<string, readonly Scope[]> = new Map<string, readonly Scope[]>([
  ['editor:all', SCOPES],
  ...TOKEN_SCOPES.map((scope) => [`admin:${scope}`, [scope]] as const),
])

/** Callers in the order of the columns */
export const CALLERS = [...SESSIONS, ...TOKENS.keys()]

export interface Row {
  route: string
  statuses: number[]
  /**
   * Query and body, empty if the line lacks them; `$source`, `$deck`, `$card`, `$sheet`, `$test`, `$report` and
   * `$change` stand for the editor's items
   */
  query: string
  body: string
}

const LINE = /^([A-Z]+ \S+)((?:\s+\d{3})+)(?:\s+(\?\S*))?(?:\s+(\{.*\}))?$/

/**
 * Parses `roles.txt`: one line per route; lines that begin with `#` are comments.
 * @throws Error if a line has another form
 */
function parseTable(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const [, route, numbers, query = '', body = ''] = LINE.exec(line.trimEnd()) ?? []
    const statuses = numbers?.trim().split(/\s+/).map(Number) ?? []
    if (route === undefined || statuses.length !== CALLERS.length) {
      throw new Error(`Expected a route and ${CALLERS.length} statuses: ${line}`)
    }
    return [{ route, statuses, query, body }]
  })
}

export async function readTable(): Promise<Row[]> {
  return parseTable(await readFile(`${ROOT}test/routes/roles.txt`, 'utf8'))
}

/**
 * Returns the routes that refuse a learner without a role in a team or an assignment with 401 or 403 by `roles.txt`,
 * which `roles.test.ts` checks.
 */
export async function routesClosedToLearners(): Promise<Set<string>> {
  const column = CALLERS.indexOf('learner')
  const closed = (await readTable()).filter(({ statuses }) => [401, 403].includes(statuses[column] ?? 0))
  return new Set(closed.map(({ route }) => route))
}

const WIDTH = 58

export function formatRow({ route, statuses, query, body }: Row): string {
  const groups = [statuses.slice(0, 7), statuses.slice(7, 8), statuses.slice(8)]
  return [route.padEnd(WIDTH), ...groups.map((group) => group.join(' ')), query, body].filter(Boolean).join('  ')
}

export interface Operation {
  route: string
  method: string
  path: string
  /** Media type of the body; undefined without a body */
  type: string | undefined
  /** Names of its query parameters */
  query: string[]
}

export function listOperations(document: Json): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).map(([name, { requestBody, parameters = [] }]) => {
      const method = name.toUpperCase()
      const query = parameters.filter((one: Json) => one.in === 'query').map((one: Json) => one.name)
      return { route: `${method} ${path}`, method, path, type: Object.keys(requestBody?.content ?? {})[0], query }
    }),
  )
}

export interface Answer {
  status: number
  /** Header `X-Error-Code` */
  code: string | undefined
}

export interface Roles {
  /** Sends the request as each caller. Returns the answers in the order of `CALLERS`. */
  ask(operation: Operation, given: Pick<Row, 'query' | 'body'>): Promise<Answer[]>
}

export async function createRoles(service: Service): Promise<Roles> {
  const { app, db, anonymous } = service
  const learner = await service.member()
  const author = await createEditor(service)
  const other = await createEditor(service, await createSource(db))
  const editor = await createEditor(service)
  const admin = await service.admin()
  const { id, username } = await createUser(db, { is_auditor: true })
  const auditor = { ...(await service.loginAs(username)), id }
  const sessions: Caller[] = [anonymous, learner, author, other, editor, admin, auditor]
  const names = await db.selectFrom('users').select(['id', 'username']).execute()
  const usernames = [null, learner, author, other, editor, admin, auditor].map(
    (caller) => names.find(({ id }) => id === caller?.id)?.username,
  )
  const tokens: Caller[] = []
  for (const [name, scopes] of TOKENS) {
    const owner = name.startsWith('editor:') ? editor : admin
    const { body } = await owner.post('/api/auth/tokens', { name, scopes })
    tokens.push(callerOf(app, undefined, body.token))
  }

  let items = await createItems(db, editor.id, learner.id)

  async function renew(): Promise<void> {
    for (const [index, username] of usernames.entries()) {
      if (username === undefined || (await sessions[index]?.get('/api/auth/me'))?.status === 200) continue
      sessions[index] = await service.loginAs(username)
    }
  }

  return {
    ask: async ({ method, path, type }, { query, body }) => {
      const answers: Answer[] = []
      for (const caller of [...sessions, ...tokens]) {
        const current = items
        const fill = (text: string) =>
          text.replaceAll(/"?\$(\w+)"?/g, (whole, name: keyof Items) => {
            const value = current[name]
            return whole.startsWith('"') ? JSON.stringify(value) : String(value)
          })
        const payload = body === '' ? (type === 'application/json' ? '{}' : 'x') : fill(body)
        const { status, headers } = await caller.send({
          method: method as 'GET',
          url: fillPath(path, current) + fill(query),
          ...(type !== undefined && { payload, headers: { 'content-type': type } }),
        })
        answers.push({ status, code: headers['x-error-code'] as string | undefined })
        // The request may have changed or deleted the items.
        if (status < 400 && method !== 'GET' && path.startsWith('/api/content/')) {
          items = await createItems(db, editor.id, learner.id)
        }
      }
      const mayEndSessions = method !== 'GET' && /^\/api\/(auth|accounts\/me)/.test(path)
      if (mayEndSessions && answers.some(({ status }) => status < 400)) await renew()
      return answers
    },
  }
}

interface Items {
  source: number
  deck: string
  card: number
  sheet: string
  test: string
  report: number
  change: number
}

async function createItems(db: Kysely<Database>, editorId: number, reporterId: number): Promise<Items> {
  const source_id = await createSource(db)
  await db.insertInto('source_editors').values({ source_id, user_id: editorId }).execute()
  const deck = await createDeck(db)
  await db.insertInto('imported_decks').values({ deck_id: deck.id, source_id, source_key: deck.slug }).execute()
  const card = await createCard(db, { deck_id: deck.id })
  await db
    .insertInto('imported_cards')
    .values({ card_id: card.id, deck_id: deck.id, key: unique('key') })
    .execute()
  const sheet = await createCheatsheet(db)
  const owner = { cheatsheet_id: sheet.id, source_id, source_key: sheet.slug }
  await db.insertInto('imported_cheatsheets').values(owner).execute()
  const report = await db
    .insertInto('card_reports')
    .values({ user_id: reporterId, card_id: card.id, text: 'x' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const change = await db
    .insertInto('content_changes')
    .values({ user_id: editorId, how: 'edit', source_id })
    .returning('id')
    .executeTakeFirstOrThrow()
  const slug = unique('test')
  const definition = JSON.stringify(defineTest({ sections: [{ deck: deck.slug }] }))
  await db.insertInto('tests').values({ slug, source_id, source_key: slug, definition }).execute()
  const items = { deck: deck.slug, card: card.id, sheet: sheet.slug, test: slug, report: report.id, change: change.id }
  return { source: source_id, ...items }
}

/** Kinds of items in paths below `/api/content`, by the path segment before the id or slug */
const KINDS: Readonly<Record<string, keyof Items>> = {
  sources: 'source',
  decks: 'deck',
  cards: 'card',
  sheets: 'sheet',
  tests: 'test',
  reports: 'report',
  changes: 'change',
}

/**
 * Fills the parameters of a path: below `/api/content` those of `KINDS` with the editor's items, all others with the id
 * 0, which does not exist.
 */
function fillPath(path: string, items: Items): string {
  const segments = path.split('/')
  const isContent = path.startsWith('/api/content/')
  return segments
    .map((segment, index) => {
      if (!segment.startsWith('{')) return segment
      const kind = isContent ? KINDS[segments[index - 1] as string] : undefined
      return segment.replace(/\{[^}]+\}/, kind === undefined ? '0' : String(items[kind]))
    })
    .join('/')
}
