import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { createDatabase, onServer, TEST_DATABASE_URL } from '../support/database.js'
import { createStoreVariables, runCommand, startProcess } from '../support/process.js'
import { SCRATCH } from '../support/scratch.js'

const skip = TEST_DATABASE_URL === undefined && 'needs a server'
const PASSWORD = 'geheimes-passwort'

t.test('describes a wrong DATABASE_URL in one line without the password', { skip }, async (t) => {
  const server = String(TEST_DATABASE_URL)
  const [role, locked] = [uniqueName(), uniqueName()]
  await onServer(server, `create role ${role} login password '${PASSWORD}'; create role ${locked} nologin`)
  const [foreign, bare, old] = [uniqueName(), uniqueName(), uniqueName()]
  await createDatabase(server, foreign)
  await createDatabase(server, bare)
  await createDatabase(server, old)
  t.teardown(async () => {
    for (const name of [foreign, bare, old]) await onServer(server, `drop database ${name} with (force)`)
    await onServer(server, `drop role ${role}; drop role ${locked}`)
  })
  await onServer(urlOf(bare), `grant create on schema public to ${role}`)
  // Simulates an old server with a function that shadows the function of the system catalog.
  await onServer(
    urlOf(old),
    `create function current_setting(text) returns text language sql
      return case $1 when 'server_version_num' then '140011' else pg_catalog.current_setting($1) end;
    alter database ${old} set search_path = public, pg_catalog`,
  )
  const cases: [url: string, line: RegExp][] = [
    [urlOf(bare, 'nobody_of_this_name'), /^DATABASE_URL: Der Server lässt diesen Benutzer nicht zu: /],
    [urlOf(bare, locked), /^DATABASE_URL: Der Server lässt diesen Benutzer nicht zu: /],
    [urlOf('no_database_of_this_name', role), /^DATABASE_URL: Diese Datenbank gibt es auf dem Server nicht: /],
    [urlOf(foreign, role), /^DATABASE_URL: Dem Benutzer fehlt ein Recht in der Datenbank: /],
    [urlOf(bare, role), /^DATABASE_URL: In der Datenbank fehlt die Erweiterung pg_trgm, .*CREATE EXTENSION pg_trgm/],
    [urlOf(old), /^DATABASE_URL: Der Server ist PostgreSQL .*, dieses Programm braucht 15 oder neuer\.$/],
    [`${urlOf(bare, role)}?sslmode=require`, /^DATABASE_URL: Der Server bietet keine Verschlüsselung \(TLS\) an: /],
  ]
  await Promise.all(
    cases.map(async ([url, line]) => {
      const { code, stdout, stderr } = await runCommand({ DATABASE_URL: url }, ['migrate'])
      t.strictSame([code, stdout], [1, ''], url)
      t.match(stderr.slice(0, -1), line)
      t.match(stderr, /^[^\n]+\n$/, 'one line')
      t.notOk(stderr.includes(PASSWORD))
    }),
  )
  const check = async (url: string) => (await runCommand({ DATABASE_URL: url }, ['import', '--check'])).stdout
  t.match(await check(urlOf(bare)), /ist nicht bekannt: Es gibt noch keinen Datenbestand\.\n$/)
  t.match(
    await check(urlOf('no_database_of_this_name')),
    /ist nicht bekannt: DATABASE_URL: Diese Datenbank gibt es auf/,
  )

  function urlOf(database: string, user?: string): string {
    const url = new URL(server)
    url.pathname = database
    if (user !== undefined) Object.assign(url, { username: user, password: PASSWORD })
    return url.href
  }
})

t.test('refuses to restore a backup while the service uses the database', { skip }, async (t) => {
  const variables = await createStoreVariables(t)
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-restore-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'sicherung.gz')
  const service = await startProcess(t, variables)
  t.equal((await runCommand(variables, ['backup', file])).code, 0, 'a backup does not require a stop')
  t.match(await runCommand(variables, ['restore', '--replace', file]), {
    code: 1,
    stdout: '',
    stderr: /^DATABASE_URL: Ein Dienst benutzt diese Datenbank \(Verbindungen: \d+\)\. [^\n]*--force[^\n]*\n$/,
  })
  t.match(await runCommand(variables, ['restore', '--replace', '--force', file]), { code: 0, stderr: '' })
  await service.stop()
  t.match(await runCommand(variables, ['restore', '--replace', file]), { code: 0, stderr: '' })
})

function uniqueName(): string {
  return `test_${randomBytes(6).toString('hex')}`
}
