import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Incoming } from '../../../domain/content/incoming.js'
import { FILE_TOO_LARGE, NOT_A_PACKAGE } from '../../../domain/refusals.js'
import { LIMITS } from './limits.js'
import type { ReadOptions } from './options.js'
import { readAnki } from './read-anki.js'
import { isAnkiPackage } from './unpack-collection.js'
import { Zip } from './zip.js'

/**
 * Reads an upload in this thread; what it is, its contents say and not its name.
 * @throws FaultyContent, DamagedPackage and the refusals named in `readIncoming`
 */
export async function readFile(path: string, options: ReadOptions): Promise<Incoming> {
  const head = readHead(path)
  if (!ZIP.includes(head.toString('latin1'))) throw NOT_A_PACKAGE
  if (statSync(path).size > LIMITS.pictureBytes) throw FILE_TOO_LARGE
  const zip = await Zip.open(path)
  try {
    if (isAnkiPackage(zip)) return await readAnki(zip, options)
    throw NOT_A_PACKAGE
  } finally {
    zip.close()
  }
}

/** An archive begins with its first entry or, when it is empty, with its end. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06']

function readHead(path: string): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(4)
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
