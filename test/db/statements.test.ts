import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Kysely } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { migrateToLatest } from '../../db/migrate.js'
import { findUnconfirmed } from '../../db/queries/accounts/confirmed.js'
import { findSession } from '../../db/queries/accounts/sessions.js'
import { findSentToken } from '../../db/queries/accounts/tokens.js'
import { reopenMissed } from '../../db/queries/assignments/occurrences.js'
import { isTestAssigned, missOccurrences } from '../../db/queries/assignments/plan.js'
import { deleteOldCertificates, setDeletionDays } from '../../db/queries/certificates/certificates.js'
import { findEnding } from '../../db/queries/certificates/search.js'
import { findOtherHeads } from '../../db/queries/content/checked-translations.js'
import { listDifficultCards, renewDifficulties } from '../../db/queries/content/editing/difficult.js'
import { findCardVersions } from '../../db/queries/content/editing/versions.js'
import { sumPictures } from '../../db/queries/content/media.js'
import { resetProgressOfAll } from '../../db/queries/content/progress.js'
import {
  findCardsById,
  findCardsOfNotes,
  findCardsWithoutNote,
  isContentEmpty,
} from '../../db/queries/content/stored.js'
import { purgeExpired } from '../../db/queries/housekeeping.js'
import { extendLease, takeLease } from '../../db/queries/jobs.js'
import { listFitCandidates, readHistory, storeStates } from '../../db/queries/review/parameters.js'
import { findHistoryOf } from '../../db/queries/review/undo.js'
import { deleteAnswersBefore, deleteScores, lockStarts } from '../../db/queries/tests/attempts.js'
import { holdLane, postponeEvent, settleEvent, takeLane } from '../../db/queries/webhooks/outbox.js'
import type { Database } from '../../db/types.js'
import { ROOT } from '../support/constants.js'
import { createDatabase, onServer, openOnServer, TEST_DATABASE_URL } from '../support/database.js'
import { SCRATCH } from '../support/scratch.js'
import { reasonToSkipRecording, recordVersion } from '../support/versions.js'

/** JavaScript types of values by column name */
type Columns = Record<string, string>

/** A raw statement in the source: its row type, and a pattern that matches its text */
interface Template {
  place: string
  pattern: RegExp
  /** Allowed columns; several alternatives if the row type is a union */
  shapes: Columns[]
  /** Whether the template is an expression for one column instead of a whole statement */
  isPart: boolean
}

/** JavaScript type by OID of a PostgreSQL type, as the service configures `pg` to parse it */
const KINDS: Record<number, string> = {
  [pg.types.builtins.BOOL]: 'boolean',
  [pg.types.builtins.INT4]: 'number',
  [pg.types.builtins.INT8]: 'number',
  [pg.types.builtins.FLOAT8]: 'number',
  [pg.types.builtins.TEXT]: 'string',
  [pg.types.builtins.DATE]: 'string',
  [pg.types.builtins.TIMESTAMPTZ]: 'Date',
  [pg.types.builtins.BYTEA]: 'Buffer',
  [pg.types.builtins.JSON]: 'json',
  [pg.types.builtins.JSONB]: 'json',
  1007: 'number[]',
  1009: 'string[]',
}

const PRIMITIVE = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike

const QUERIES = path.join(ROOT, 'db', 'queries')
/** Start of a statement, or of a fragment whose start is interpolated */
const STATEMENT = /^\s*(select|with|insert|update|delete|\$\{)/i

t.test(
  'raw statements return the columns and types that the code declares',
  { skip: await reasonToSkipRecording(TEST_DATABASE_URL) },
  async (t) => {
    const serverUrl = TEST_DATABASE_URL as string
    const databaseUrl = await createMigrated(t, serverUrl)
    const statements = await recordStatements(t, serverUrl, databaseUrl)
    const client = new pg.Client(databaseUrl)
    await client.connect()
    const described = new Map<string, Columns>()
    for (const statement of statements) described.set(statement, await describe(client, statement))
    for (const { place, pattern, shapes, isPart } of readTemplates()) {
      const found = statements.filter((statement) => pattern.test(statement))
      // A pattern without literal text would match every statement.
      if (found.length === 0 || found.length > statements.length / 4)
        t.fail(`${place}: matches ${found.length} statements`)
      for (const statement of found) {
        const real = described.get(statement) ?? {}
        const isFound = shapes.some((shape) => (isPart ? contains(real, shape) : isSame(real, shape)))
        t.ok(isFound, place, { found: real, wanted: shapes, statement })
      }
    }
    await client.end()
  },
)

function isSame(real: Columns, declared: Columns): boolean {
  return Object.keys(real).length === Object.keys(declared).length && contains(real, declared)
}

/** Returns whether the row has the declared columns. The server does not report the element types of a JSON array. */
function contains(real: Columns, declared: Columns): boolean {
  return Object.entries(declared).every(
    ([name, kind]) => real[name] === kind || (real[name] === 'json' && kind.endsWith('[]')),
  )
}

async function createMigrated(t: Test, serverUrl: string): Promise<string> {
  const name = `statements_${randomBytes(6).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  t.teardown(() => onServer(serverUrl, `drop database ${name} with (force)`))
  const database = await openOnServer(databaseUrl, { poolMax: 1 })
  await migrateToLatest(database.db)
  await database.close()
  return databaseUrl
}

async function recordStatements(t: Test, serverUrl: string, databaseUrl: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-statements-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const version = await recordVersion(serverUrl, folder)
  const recorded = await readFile(path.join(folder, `${version}.statements.json`), 'utf8')
  const statements = new Set<string>((JSON.parse(recorded) as { sql: string }[]).map(({ sql }) => sql))

  // The recorded requests do not cover the following statements.
  const { db, close } = await openOnServer(databaseUrl, { poolMax: 1, onQuery: ({ sql }) => statements.add(sql) })
  await purgeExpired(db)
  await deleteAnswersBefore(
    db,
    { instant: new Date(), day: '2026-11-25' },
    { at: new Date(), userId: undefined, after: undefined, limit: 9 },
  )
  await setDeletionDays(db, { after: 0, limit: 9, today: '2026-11-25' })
  await deleteOldCertificates(db, '2026-11-25', 9)
  await findEnding(db, [{ kind: 'task', id: 1, ends_on: '2026-11-25' }])
  await missOccurrences(db, [{ id: 1, missed_at: new Date() }])
  await db
    .transaction()
    .execute((transaction) => reopenMissed(transaction, 1, { at: new Date(), until: '2026-11-25', reason: 'x' }))
  await deleteScores(db, { userId: undefined, after: undefined, limit: 9 })
  await findSentToken(db, Buffer.alloc(32), { issuers: ['x'], days: 7 })
  await findUnconfirmed(db, 1, { issuers: ['x'], days: 7 })
  await findSession(db, Buffer.alloc(32), 30, { issuers: ['x'], days: 7 })
  await sumPictures(db)
  await isContentEmpty(db)
  await findCardsOfNotes(db, ['guid'])
  await findCardsWithoutNote(db)
  await findCardsById(db, [1])
  await callJobs(db)
  await findCardVersions(db, [])
  const head = { slug: 'git', name: 'Git', description: '' }
  await db.transaction().execute((transaction) => findOtherHeads(transaction, [{ id: 1, deck: head }]))
  await isTestAssigned(db, 1, [1])
  await db.transaction().execute((transaction) => lockStarts(transaction, { userId: 1, groupId: 1, number: 1 }))
  await renewDifficulties(db, 1, { minPersons: 5, now: new Date() })
  await listDifficultCards(db, 1, { order: 'again', limit: 1 })
  await db
    .transaction()
    .execute((transaction) => resetProgressOfAll(transaction, 1, { at: new Date(), today: '2026-11-21' }))
  await close()
  return [...statements]
}

/** Sends statements of the nightly jobs, and those of an undo after a change of parameters. */
async function callJobs(db: Kysely<Database>): Promise<void> {
  const held = await takeLease(db, 'statements', null)
  await extendLease(db, 'statements', held ?? new Date())
  const lease = '7a5c1c5e-0000-4000-8000-000000000001'
  const attempt = { webhookId: 0, lease, eventId: 0, outcome: { status: 200, fault: null, answer: '' } }
  await takeLane(db, 0, lease)
  await holdLane(db, 0, lease)
  await settleEvent(db, attempt, 'delivered')
  await postponeEvent(db, attempt, 5)
  for await (const _ of readHistory(db, 1, 1)) break
  const limits = { firstBefore: '2026-01-01', triedBefore: new Date(0), minItems: 400, growth: 1.5 }
  await listFitCandidates(db, { after: 0, limit: 1, ...limits })
  await db.transaction().execute(async (transaction) => {
    await findHistoryOf(transaction, 1, 1)
    await storeStates(transaction, 1, { review_ids: [1], stabilities: [1], difficulties: [1] })
  })
}

/** Returns the columns of a statement with the JavaScript types of their values, without running it. */
async function describe(client: pg.Client, text: string): Promise<Columns> {
  const fields = await new Promise<pg.FieldDef[]>((resolve, reject) => {
    let found: pg.FieldDef[] = []
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: ({ fields }: { fields: pg.FieldDef[] }) => {
        found = fields
      },
      handleReadyForQuery: () => resolve(found),
      handleError: (error: Error) => reject(new Error(text, { cause: error })),
    } as unknown as pg.Submittable)
  })
  return Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, KINDS[dataTypeID] ?? `type ${dataTypeID}`]))
}

/** Returns the raw statements in `db/queries` that declare a row type, and the typed raw expressions with an alias. */
function readTemplates(): Template[] {
  const files = readdirSync(QUERIES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    ROOT,
  )
  const program = ts.createProgram(
    files.map((name) => path.join(QUERIES, name)),
    options,
  )
  const checker = program.getTypeChecker()
  const templates: Template[] = []
  for (const name of files) {
    const source = program.getSourceFile(path.join(QUERIES, name)) as ts.SourceFile
    const visit = (node: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql') {
        const [type] = node.typeArguments ?? []
        const alias = aliasOf(node)
        const parts = textOf(node.template)
        if (type !== undefined && (alias !== undefined || STATEMENT.test(parts.join('${')))) {
          const declared = checker.getTypeFromTypeNode(type)
          // Replaces a generic row type with its constraint.
          const row = checker.getBaseConstraintOfType(declared) ?? declared
          const { line } = source.getLineAndCharacterOfPosition(node.getStart())
          const place = `${name}:${line + 1}`
          const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*?')
          if (alias !== undefined) {
            const shapes = [{ [alias]: kindOf(checker, row) }]
            templates.push({ place, pattern: new RegExp(`${pattern} as "${alias}"`), shapes, isPart: true })
          } else if (!(row.flags & PRIMITIVE)) {
            const rows = row.isUnion() ? row.types : [row]
            const shapes = rows.map((shape) => columnsOf(checker, shape, node))
            templates.push({ place, pattern: new RegExp(`^${pattern}$`), shapes, isPart: false })
          }
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return templates
}

function textOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
}

function aliasOf({ parent }: ts.Node): string | undefined {
  if (!ts.isPropertyAccessExpression(parent) || parent.name.text !== 'as') return undefined
  const [name] = (parent.parent as ts.CallExpression).arguments
  return name !== undefined && ts.isStringLiteral(name) ? name.text : undefined
}

function columnsOf(checker: ts.TypeChecker, row: ts.Type, node: ts.Node): Columns {
  const columns: Columns = {}
  for (const property of checker.getPropertiesOfType(row)) {
    columns[property.name] = kindOf(checker, checker.getTypeOfSymbolAtLocation(property, node))
  }
  return columns
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string {
  const wanted = checker.getNonNullableType(type)
  const parts = wanted.isUnion() ? wanted.types : [wanted]
  const kinds = new Set(parts.map((part) => kindOfPart(checker, part)))
  return kinds.size === 1 ? ([...kinds][0] as string) : 'json'
}

function kindOfPart(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.flags & ts.TypeFlags.StringLike) return 'string'
  if (type.flags & ts.TypeFlags.NumberLike) return 'number'
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean'
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference)
    const kind = item === undefined ? 'json' : kindOf(checker, item)
    return kind === 'json' ? 'json' : `${kind}[]`
  }
  const name = type.getSymbol()?.name ?? ''
  return ['Date', 'Buffer'].includes(name) ? name : 'json'
}
