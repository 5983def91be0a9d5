import { closeSync, openSync, readSync } from 'node:fs'
import type { Finding } from '../../../../domain/content/findings.js'
import { FaultyContent, ForeignFile, NOT_A_PACKAGE } from '../../../../domain/content/refusals.js'
import {
  ARCHIVE_INSIDE,
  COMPOUND_FILE,
  describeCompoundFile,
  describeDocument,
  describeForeignFile,
  describeForeignText,
  describePackage,
  NOTHING_READABLE,
} from '../../../../domain/content/upload/foreign-file.js'
import type { Incoming } from '../../../../domain/content/upload/incoming.js'
import { findQuestionFormat } from '../../../../domain/content/upload/question-file.js'
import { type Details, Refusal, type RefusalKind } from '../../../../domain/refusal.js'
import { findMainPart, looksLikeText } from '../../../../domain/table/index.js'
import { handleTasks } from '../../../handle-tasks.js'
import type { ReadEntry } from './bundle.js'
import { LIMITS } from './limits.js'
import type { ReadOptions } from './options.js'
import { Zip } from './zip.js'
import { isAnkiPackage, isOfficeDocument } from './zip-kind.js'

// Readers are loaded on demand, because most threads read files of one type.
const readers = {
  anki: () => import('./anki.js'),
  archive: () => import('./archive.js'),
  bundle: () => import('./bundle.js'),
  questions: () => import('./questions.js'),
  table: () => import('./table.js'),
  workbook: () => import('./workbook.js'),
}

export interface ReadTask {
  path: string
  options: ReadOptions
}

export type ReadOutcome =
  | { incoming: Incoming }
  | { faults: Finding[] }
  | { refusal: { kind: RefusalKind; code: string; message: string; details: Details | undefined } }

/**
 * Reads an upload in the current thread. The type of the file is detected from its bytes, not from its name.
 * @throws FaultyContent if the file has faults
 * @throws ForeignFile if the type of the file is known but not supported
 * @throws InvalidInput if the file is an archive of Markdown and the options contain a deck
 * @throws NOT_A_PACKAGE, PACKAGE_TOO_NEW, DamagedPackage if the file cannot be read
 * @throws FileTooLarge, MediaFull if a limit is exceeded
 */
export async function readFile(path: string, options: ReadOptions): Promise<Incoming> {
  const head = readBytes(path, 0, HEAD_BYTES)
  if (!isZip(head)) return readPlainFile(path, head, options)
  const zip = await Zip.open(path, LIMITS.archiveBytes * 2 + (options.maxPictureBytes ?? LIMITS.pictureBytes))
  try {
    return await readZip(zip, options)
  } finally {
    zip.close()
  }
}

function isZip(head: Buffer): boolean {
  return ZIP.includes(head.toString('latin1', 0, 4))
}

/** Reads a table or a file with questions. */
async function readPlainFile(path: string, head: Buffer, options: ReadOptions): Promise<Incoming> {
  const format = findQuestionFormat(head)
  if (format !== undefined) return (await readers.questions()).readQuestionFile(path, format, options)
  refuseForeign(path, head)
  if (!looksLikeText(head)) throw NOT_A_PACKAGE
  if (head.toString('latin1').startsWith(GIT_LFS)) {
    throw new FaultyContent([{ file: options.fileName, line: 1, message: ONLY_A_POINTER }])
  }
  const foreign = describeForeignText(head, head.length < HEAD_BYTES)
  if (foreign !== undefined) throw new ForeignFile(foreign)
  return (await readers.table()).readTableFile(path, options)
}

async function readZip(zip: Zip, options: ReadOptions): Promise<Incoming> {
  if (isAnkiPackage(zip)) return (await readers.anki()).readAnki(zip, options)
  if (isOfficeDocument(zip)) return readOfficeDocument(zip, options)
  const { findRoot, findFlatRoot, readArchive, readFlatArchive } = await readers.archive()
  const root = findRoot(zip)
  if (root !== undefined) return readArchive(zip, root, options)
  const flat = findFlatRoot(zip)
  if (flat !== undefined) return readFlatArchive(zip, flat, options)
  const type = await readStart(zip, (name) => name === 'mimetype')
  const foreign =
    describeDocument([type, ...zip.names]) ??
    describePackage(zip.names, {
      manifest: await readStart(zip, (name) => MANIFEST.test(name)),
      data: await readStart(zip, (name) => name === 'data.json'),
    })
  if (foreign !== undefined) throw new ForeignFile(foreign)
  const bundle = await (await readers.bundle()).readBundle(zip, options, entryReader())
  if (bundle === undefined) throw new ForeignFile(NOTHING_READABLE)
  return bundle
}

async function readOfficeDocument(zip: Zip, options: ReadOptions): Promise<Incoming> {
  const { asWorkbookPackage, readWorkbookFile } = await readers.workbook()
  const main = await findMainPart(asWorkbookPackage(zip))
  if (main === undefined) throw NOT_A_PACKAGE
  const foreign = describeDocument([main])
  if (foreign !== undefined) throw new ForeignFile(foreign)
  return readWorkbookFile(zip, main, options)
}

/** Returns a reader of files in an archive. It reads workbooks, but no other archives inside of the archive. */
function entryReader(): ReadEntry {
  let bytesLeft: number = LIMITS.archiveBytes * 2
  return async (path, options) => {
    const head = readBytes(path, 0, HEAD_BYTES)
    if (!isZip(head)) return readPlainFile(path, head, options)
    const zip = await Zip.open(path, bytesLeft)
    try {
      if (isOfficeDocument(zip)) return await readOfficeDocument(zip, options)
      throw new ForeignFile(ARCHIVE_INSIDE)
    } finally {
      bytesLeft = zip.bytesLeft
      zip.close()
    }
  }
}

/** Returns the first bytes of the first entry with such a name as Latin-1; empty without one. */
async function readStart(zip: Zip, isWanted: (name: string) => boolean): Promise<string> {
  const name = zip.names.find(isWanted)
  if (name === undefined) return ''
  const parts: Uint8Array[] = []
  let length = 0
  for await (const piece of zip.read(name, LIMITS.collectionBytes)) {
    parts.push(piece)
    length += piece.length
    if (length >= START_BYTES) break
  }
  return Buffer.concat(parts).toString('latin1', 0, START_BYTES)
}

const START_BYTES = 65_536
const MANIFEST = /^(?:[^/]+\/)?imsmanifest\.xml$/i

function refuseForeign(path: string, head: Buffer): void {
  const foreign = head.toString('latin1').startsWith(COMPOUND_FILE)
    ? describeCompoundFile(readDirectory(path, head))
    : describeForeignFile(head)
  if (foreign !== undefined) throw new ForeignFile(foreign)
}

/** Returns the first 4 KiB of the directory of a compound file; empty if the header is incomplete. */
function readDirectory(path: string, head: Buffer): Buffer {
  if (head.length < COMPOUND_HEADER_BYTES) return Buffer.alloc(0)
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(0x1e), 12)
  return readBytes(path, (head.readUInt32LE(0x30) + 1) * sectorBytes, HEAD_BYTES)
}

const HEAD_BYTES = 4_096
const COMPOUND_HEADER_BYTES = 512

/** Start of a Git LFS pointer; many downloads from GitHub contain a pointer in place of the file. */
const GIT_LFS = 'version https://git-lfs.github.com/spec/'
const ONLY_A_POINTER = 'Die Datei ist nur ein Verweis von Git LFS; gebraucht wird, worauf er zeigt (git lfs pull)'

/** Signatures with which a zip starts: that of its first entry, or that of the end record if the zip has no entries */
const ZIP = ['PK\x03\x04', 'PK\x05\x06']

function readBytes(path: string, from: number, length: number): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from))
  } finally {
    closeSync(descriptor)
  }
}

/** Reads an upload as `readFile` does, but returns refusals, because an error loses its class between threads. */
async function readUnlessRefused({ path, options }: ReadTask): Promise<ReadOutcome> {
  try {
    return { incoming: await readFile(path, options) }
  } catch (error) {
    if (error instanceof FaultyContent) return { faults: error.faults }
    if (error instanceof Refusal) {
      const { kind, code, message, details } = error
      return { refusal: { kind, code, message, details } }
    }
    throw error
  }
}

// This file is also the module of the worker thread.
handleTasks(readUnlessRefused)
