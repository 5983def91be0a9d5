import { readdir, readFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import pg from 'pg'
import t from 'tap'
import { isDatabaseUnavailable } from '../../db/errors.js'
import { writeContentFolder } from '../support/content.js'

t.test('a missing server is an unavailable database, by socket or network', async (t) => {
  const folder = await writeContentFolder(t, {})
  const free = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => free.once('listening', resolve))
  const { port } = free.address() as net.AddressInfo
  await new Promise((resolve) => free.close(resolve))
  for (const settings of [
    { host: folder, port },
    { host: '127.0.0.1', port },
    { host: 'nirgends.invalid', port },
  ]) {
    const error = await new pg.Client(settings).connect().catch((reason) => reason)
    t.ok(isDatabaseUnavailable(error), String(error))
  }
})

t.test('a file system error is never an unavailable database', async (t) => {
  const folder = await writeContentFolder(t, {})
  const missing = path.join(folder, 'nirgends')
  for (const read of [readdir, readFile]) {
    const error = await (read as (name: string) => Promise<unknown>)(missing).catch((reason) => reason)
    t.match(error, { code: 'ENOENT' })
    t.notOk(isDatabaseUnavailable(error), String(error))
  }
  // A network drive can report the same error code as a connection to the database.
  const lost = Object.assign(new Error('ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'scandir', path: folder })
  t.notOk(isDatabaseUnavailable(lost))
})
