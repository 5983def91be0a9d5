import { closeSync, openSync, readSync } from 'node:fs'
import type { Incoming } from '../../../domain/content/incoming.js'
import { NOT_A_PACKAGE } from '../../../domain/refusals.js'
import { looksLikeText } from '../../../domain/table/decode-table.js'
import type { ReadOptions } from './options.js'
import { readAnki } from './read-anki.js'
import { findRoot, readArchive } from './read-archive.js'
import { readTableFile } from './read-table-file.js'
import { isAnkiPackage } from './unpack-collection.js'
import { Zip } from './zip.js'

/**
 * Reads an upload in this thread; what it is, its contents say and not its name.
 * @throws FaultyContent, DamagedPackage and the refusals named in `readIncoming`
 */
export async function readFile(path: string, options: ReadOptions): Promise<Incoming> {
  const head = readHead(path)
  if (!ZIP.includes(head.toString('latin1', 0, 4))) {
    if (looksLikeText(head)) return readTableFile(path, options)
    throw NOT_A_PACKAGE
  }
  const zip = await Zip.open(path)
  try {
    if (isAnkiPackage(zip)) return await readAnki(zip, options)
    const root = findRoot(zip)
    if (root === undefined) throw NOT_A_PACKAGE
    return await readArchive(zip, root, options)
  } finally {
    zip.close()
  }
}

/** An archive begins with its first entry or, when it is empty, with its end. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06']

function readHead(path: string): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(4_096)
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
