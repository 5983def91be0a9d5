import { closeSync, openSync, readSync } from 'node:fs'
import type { Incoming } from '../../../domain/content/incoming.js'
import { FaultyContent, NOT_A_PACKAGE } from '../../../domain/refusals.js'
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
    if (!looksLikeText(head)) throw NOT_A_PACKAGE
    if (head.toString('latin1').startsWith(GIT_LFS)) {
      throw new FaultyContent([{ file: options.fileName, line: 1, message: ONLY_A_POINTER }])
    }
    return readTableFile(path, options)
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

/** How the text begins that git keeps in the place of a large file; many packages on GitHub are such. */
const GIT_LFS = 'version https://git-lfs.github.com/spec/'
const ONLY_A_POINTER = 'Die Datei ist nur ein Verweis von Git LFS; gebraucht wird, worauf er zeigt (git lfs pull)'

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
