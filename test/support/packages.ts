import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import sqlite from 'node-sqlite3-wasm'
import type { Test } from 'tap'
import yauzl from 'yauzl'
import type { Service } from './service.js'

export async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, file) => (error ? reject(error) : resolve(file)))
  })
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: yauzl.Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        buffer(stream).then((content) => {
          files.set(entry.fileName, content)
          zip.readEntry()
        }, reject)
      })
    })
    zip.readEntry()
  })
  return files
}

type Rows = Record<string, number | bigint | string | Uint8Array | null>[]

export function query(bytes: Buffer | undefined, sql: string): Rows {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-training-collection-'))
  const file = path.join(folder, 'collection')
  writeFileSync(file, bytes ?? '')
  const db = new sqlite.Database(file, { readOnly: true })
  try {
    return db.all(sql) as Rows
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
}

export async function download(
  t: Test,
  { app }: Service,
  cookie: string | undefined,
  parameters: string,
): Promise<Buffer> {
  const url = `/api/content/export?${parameters}`
  const response = await app.inject({ method: 'GET', url, headers: { cookie: cookie ?? '' } })
  t.equal(response.statusCode, 200, url)
  t.equal(Number(response.headers['content-length']), response.rawPayload.length)
  return response.rawPayload
}
