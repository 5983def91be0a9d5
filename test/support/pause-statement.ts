import pg from 'pg'

// Loaded into a service before its own modules (`NODE_OPTIONS=--import=…`). The service stops for good at the first
// statement after which the statements of its transaction match `PAUSE_STATEMENTS`; `PAUSE_WHEN`: `before` it is sent, or
// `after` its result has arrived, which the service never gets. A test waits for the output and kills the service.

type Settle = (error: Error | undefined, result: unknown) => void

const { PAUSE_STATEMENTS = '', PAUSE_WHEN = '' } = process.env
const pattern = new RegExp(PAUSE_STATEMENTS)
const client = pg.Client.prototype as unknown as { query(statement: { text: string }, settle: Settle): unknown }
const { query } = client
/** Statements of the current transaction by connection */
const statements = new WeakMap<object, string>()
let isPaused = false

client.query = function (statement, settle) {
  const text = statement.text.replaceAll(/\s+/g, ' ').trim()
  const known = text.startsWith('begin') ? '' : (statements.get(this) ?? '')
  statements.set(this, `${known}${text};`)
  if (isPaused || !pattern.test(`${known}${text};`)) return query.call(this, statement, settle)
  isPaused = true
  const tell = () => process.stdout.write(`paused ${PAUSE_WHEN} ${text.slice(0, 60)}\n`)
  if (PAUSE_WHEN === 'before') return tell()
  return query.call(this, statement, tell)
}
