import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { checkUpload, importUpload, type UploadOptions } from '../../../../src/services/content/upload/import.js'
import { deckFile } from '../../../support/content.js'
import { createMigratedDatabase } from '../../../support/database.js'
import { createUser } from '../../../support/factories.js'
import { gifOf } from '../../../support/pictures.js'
import { zipOf } from '../../../support/upload-packages.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())
const { db } = database
const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-test-'))
t.teardown(() => rm(folder, { recursive: true }))

t.test('pictures of an upload count towards the limit of its author', async (t) => {
  const { id, username } = await createUser(db, { is_author: true })
  const actor = { actor_id: id, actor: username, via: 'token', address: null } as const
  const receive = async (name: string) => {
    const bytes = await zipOf({
      [`decks/${name}.md`]: deckFile(name, [{ id: 'a', answer: `![Bild](${name}.gif)` }]),
      [`decks/${name}.gif`]: gifOf(name),
    })
    const file = path.join(folder, `${name}.zip`)
    await writeFile(file, bytes)
    return { path: file, size: bytes.length, folder: await mkdtemp(path.join(folder, 'read-')) }
  }
  const options = (name: string, rest: Partial<UploadOptions> = {}): UploadOptions => {
    const limits = { mediaMaxBytes: 2 ** 30, ownMaxBytes: gifOf('eins').length }
    return { name, fileName: null, userId: id, editable: new Set(), ...limits, ...rest }
  }
  t.match((await importUpload(db, actor, await receive('eins'), options('eins'))).stats.pictures, { created: 1 })
  t.match(await db.selectFrom('media').select('created_by').execute(), [{ created_by: id }])
  await t.rejects(checkUpload(db, await receive('zwei'), options('zwei')), { code: 'own_media_full' })
  await t.rejects(importUpload(db, actor, await receive('zwei'), options('zwei')), { code: 'own_media_full' })
  t.match((await checkUpload(db, await receive('eins'), options('drei'))).stats.pictures, { created: 0, unchanged: 1 })

  const asAdmin = options('zwei', { editable: 'all' })
  t.match((await importUpload(db, actor, await receive('zwei'), asAdmin)).stats.pictures, { created: 1 })
  const owners = await db.selectFrom('media').select('created_by').execute()
  t.strictSame(new Set(owners.map(({ created_by }) => created_by)), new Set([id, null]))
})
