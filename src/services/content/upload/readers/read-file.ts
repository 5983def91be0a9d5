import { closeSync, openSync, readSync } from 'node:fs'
import type { Finding } from '../../../../domain/content/grouped-findings.js'
import { FaultyContent, ForeignFile, NOT_A_PACKAGE } from '../../../../domain/content/refusals.js'
import {
  COMPOUND_FILE,
  describeCompoundFile,
  describeDocument,
  describeForeignFile,
  describeTables,
} from '../../../../domain/content/upload/foreign-file.js'
import { describeForeignText } from '../../../../domain/content/upload/foreign-text.js'
import type { Incoming } from '../../../../domain/content/upload/incoming.js'
import { findQuestionFormat } from '../../../../domain/content/upload/question-file.js'
import { Refusal, type RefusalKind } from '../../../../domain/refusal.js'
import { findMainPart, looksLikeText } from '../../../../domain/table/index.js'
import { answerTasks } from '../../../answer-tasks.js'
import { LIMITS } from './limits.js'
import type { ReadOptions } from './options.js'
import { Zip } from './zip.js'
import { isAnkiPackage, isOfficeDocument } from './zip-kind.js'

// Readers are loaded on demand, because most threads read files of one type.
const readers = {
  anki: () => import('./anki.js'),
  archive: () => import('./archive.js'),
  questions: () => import('./questions.js'),
  table: () => import('./table.js'),
  workbook: () => import('./workbook.js'),
}

export interface ReadTask {
  path: string
  options: ReadOptions
}

export type Outcome =
  | { incoming: Incoming }
  | { faults: Finding[] }
  | { refusal: { kind: RefusalKind; code: string; message: string } }

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
  if (!ZIP.includes(head.toString('latin1', 0, 4))) {
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
  const zip = await Zip.open(path, LIMITS.archiveBytes * 2 + (options.maxPictureBytes ?? LIMITS.pictureBytes))
  try {
    return await readZip(zip, options)
  } finally {
    zip.close()
  }
}

async function readZip(zip: Zip, options: ReadOptions): Promise<Incoming> {
  if (isAnkiPackage(zip)) return (await readers.anki()).readAnki(zip, options)
  if (isOfficeDocument(zip)) {
    const { asWorkbookPackage, readWorkbookFile } = await readers.workbook()
    const main = await findMainPart(asWorkbookPackage(zip))
    if (main === undefined) throw NOT_A_PACKAGE
    const foreign = describeDocument([main])
    if (foreign !== undefined) throw new ForeignFile(foreign)
    return readWorkbookFile(zip, main, options)
  }
  const { findRoot, findFlatRoot, readArchive, readFlatArchive } = await readers.archive()
  const root = findRoot(zip)
  if (root !== undefined) return readArchive(zip, root, options)
  const flat = findFlatRoot(zip)
  if (flat !== undefined) return readFlatArchive(zip, flat, options)
  const type = zip.has('mimetype') ? (await zip.readBytes('mimetype', MAX_TYPE)).toString('latin1') : ''
  const foreign = describeDocument([type, ...zip.names])
  if (foreign !== undefined) throw new ForeignFile(foreign)
  const tables = zip.names.filter((name) => TABLE.test(name))
  const [table] = tables
  if (table === undefined) throw NOT_A_PACKAGE
  if (tables.length > 1 || !PLAIN_TABLE.test(table)) throw new ForeignFile(describeTables(tables))
  const { readTableBytes } = await readers.table()
  return readTableBytes(await zip.readBytes(table, LIMITS.tableBytes), { ...options, fileName: table })
}

const TABLE = /^(?!__MACOSX\/)(?:[^/]*\/)*[^/.][^/]*\.(?:csv|tsv|xlsx|xlsm|xls|ods)$/i
const PLAIN_TABLE = /\.(?:csv|tsv)$/i
const MAX_TYPE = 1_024

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
async function answer({ path, options }: ReadTask): Promise<Outcome> {
  try {
    return { incoming: await readFile(path, options) }
  } catch (error) {
    if (error instanceof FaultyContent) return { faults: error.faults }
    if (error instanceof Refusal) {
      return { refusal: { kind: error.kind, code: error.code, message: error.message } }
    }
    throw error
  }
}

// This file is also the module of the worker thread.
answerTasks(answer)
