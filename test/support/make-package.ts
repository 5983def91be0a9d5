import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { MODEL_ID } from '../../src/domain/anki/write/package-schema.js'
import { PackageDatabase } from '../../src/services/content/exports/package-database.js'

/** A note with one card; `front` and `back` are HTML. */
export interface PackageNote {
  guid: string
  front: string
  back?: string
  tags?: string
}

/** Creates an Anki package in the oldest format, with notes by deck and pictures by name. */
export async function makePackage(
  decks: Record<string, PackageNote[]>,
  pictures: Record<string, Buffer> = {},
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-package-'))
  try {
    const file = path.join(folder, 'collection.anki2')
    writeCollection(file, decks)
    const zip = new ZipFile()
    zip.addBuffer(await readFile(file), 'collection.anki2')
    const names = Object.keys(pictures)
    zip.addBuffer(Buffer.from(JSON.stringify(Object.fromEntries(names.entries()))), 'media')
    for (const [index, name] of names.entries()) zip.addBuffer(pictures[name] as Buffer, String(index))
    zip.end()
    return await buffer(zip.outputStream)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function writeCollection(file: string, decks: Record<string, PackageNote[]>): void {
  const now = new Date('2026-11-01T12:00:00Z')
  const database = new PackageDatabase(file)
  const listed = Object.keys(decks).map((name, index) => ({ id: 1_600_000_000_000 + index, name }))
  let id = 1_600_000_100_000
  for (const { id: deckId, name } of listed) {
    for (const { guid, front, back = `Rückseite von ${front}`, tags = '' } of decks[name] ?? []) {
      id++
      database.addNote([id, guid, MODEL_ID, 1, -1, ` ${tags} `, `${front}\u001f${back}`, front, 0, 0, ''])
      database.addCard([id, id, deckId, 0, 1, -1, 0, 0, id - 1_600_000_100_000, 0, 0, 0, 0, 0, 0, 0, 0, ''])
    }
  }
  const created = { seconds: 1_700_000_000, minutesWest: 0 }
  database.close({ now, created, decks: listed, nextPosition: 1, scheduler: 1 })
}
