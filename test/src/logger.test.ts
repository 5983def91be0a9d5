import { Writable } from 'node:stream'
import t from 'tap'
import { createLogger } from '../../src/logger.js'
import { terminalLog } from '../../src/terminal-log.js'
import { createDatabaseToSpoil } from '../support/database.js'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import { callerOf, startService } from '../support/service.js'

function memoryLog() {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { log: createLogger('trace', destination), text: () => lines.join('') }
}

t.test('redacts secrets wherever they are logged', async (t) => {
  const { log, text } = memoryLog()
  const headers = { authorization: 'Bearer s3cret', cookie: 's3cret', 'set-cookie': 's3cret', host: 'shown' }
  log.info({ req: { headers }, res: { headers }, headers })
  log.info({ password: 's3cret', body: { password: 's3cret', token: 's3cret', name: 'shown' } })
  log.info({ req: { body: { current_password: 's3cret', new_password: 's3cret' } } })
  t.notMatch(text(), 's3cret')
  t.equal(text().match(/shown/g)?.length, 4)
})

t.test('writes no secret to the log for typical requests', async (t) => {
  const { log, text } = memoryLog()
  const service = await startService(t, { logger: log, database: await createDatabaseToSpoil() })
  const { username, id } = await createUser(service.db, { is_admin: true })
  const mistype = unique('vertippt')
  const secrets = [PASSWORD, mistype]
  await service.anonymous.post('/api/auth/login', { username, password: mistype })
  await service.anonymous.post('/api/auth/login', { username: mistype, password: PASSWORD })
  const admin = await service.loginAs(username)
  const cookie = String(admin.cookie).split('=')[1] as string
  secrets.push(cookie, decodeURIComponent(cookie), decodeURIComponent(cookie).split('.')[0] as string)
  const { token } = (await admin.post('/api/auth/tokens', { name: 'x' })).body
  secrets.push(token)
  const script = callerOf(service.app, undefined, token)
  await script.get('/api/admin/users')
  await script.post('/api/admin/users', { username: 'neu', display_name: 'Neu', password: mistype })
  await script.post('/api/admin/users', { username: 'neu', display_name: 'Neu', password: mistype })
  await admin.post('/api/auth/password', { current_password: mistype, new_password: PASSWORD })
  await admin.post('/api/auth/password', '{"current_password":', { headers: { 'content-type': 'application/json' } })
  // A missing table causes a database error. The service logs errors with all their properties.
  await service.db.schema.dropTable('quiz_results').execute()
  t.equal((await admin.post('/api/quiz/submit', { total: 1, deck: 'all' })).status, 500)
  t.equal((await script.post('/api/quiz/submit', { total: 1, deck: 'all' })).status, 500)
  t.match(text(), /quiz_results/)
  for (const secret of secrets) t.notOk(text().includes(secret), secret)
  t.ok(id > 0)
})

t.test('writes short lines in a terminal', async (t) => {
  let text = ''
  const destination = terminalLog((line) => {
    text += line
  }, false)
  const log = createLogger('debug', destination)
  const request = { reqId: 'r', method: 'GET', path: '/api/decks', route: '/api/decks', status: 200, durationMs: 1.2 }
  log.info({ ...request, address: '::1', userId: 7, via: 'session' }, 'request')
  log.info({ ...request, path: '/\u001b[2J', status: 499, aborted: true, abortedBy: 'service' }, 'request')
  log.error({ reqId: 'r', err: new Error('zwei\nZeilen') }, 'request failed')
  log.warn({ sql: 'select 1\n  from x', durationMs: 612 }, 'slow query')
  log.info({ password: 's3cret' }, 'ohne Geheimnis')
  log.info('listening')
  log.info({ sql: 'x'.repeat(1_000) }, 'long')
  const time = '\\[\\d\\d:\\d\\d:\\d\\d\\]'
  const expected = [
    `${time} INFO: GET /api/decks 200 1\\.2 ms user 7`,
    `${time} INFO: GET /\\\\u001b\\[2J 499 1\\.2 ms aborted by service`,
    `${time} ERROR: request failed: zwei Zeilen \\(/.*logger\\.test\\.[jt]s:\\d+:\\d+\\)`,
    `${time} WARN: slow query {"sql":"select 1 from x","durationMs":612}`,
    `${time} INFO: ohne Geheimnis {"password":"\\*\\*\\*"}`,
    `${time} INFO: listening`,
    `${time} INFO: long {"sql":"x{187}\\.{3}`,
  ]
  const lines = text.trimEnd().split('\n')
  t.equal(lines.length, expected.length, text)
  expected.forEach((line, index) => {
    t.match(lines[index], new RegExp(`^${line}$`))
  })
})
