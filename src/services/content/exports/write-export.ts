import { open } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import type { Kysely } from 'kysely'
import pLimit from 'p-limit'
import { findParameters } from '../../../../db/queries/content/export-cards.js'
import type { Database } from '../../../../db/types.js'
import { FIRST_DAY } from '../../../domain/anki/index.js'
import type { ExportFormat } from '../../../domain/content/export-formats.js'
import { DEFAULT_SETTINGS } from '../../../domain/review/review.js'
import { startOfDay } from '../../../domain/time/calendar.js'
import { Threads } from '../../threads.js'
import { withWorkFolder } from '../work-folder.js'
import { readSource } from './items.js'
import type { ExportTask, ExportWorkerOptions, ExportWorkerRequest } from './worker.js'

export interface ExportRequest {
  format: ExportFormat
  /** Id of a single deck, which is exported without sheets and tests; undefined exports all decks of the selection */
  deckId?: number | undefined
  sourceId?: number | undefined
  /** Whether drafts and pools (decks only for tests) are included; must be false for learners */
  hasHidden?: boolean
  /** Whether a `markdown` export includes tests even if `hasHidden` is false */
  hasTests?: boolean
  userId?: number | undefined
  timeZone: string
  now: Date
}

/** Limits the number of concurrent exports, because each needs a thread. */
const writeInTurn = pLimit(2)
const threads = new Threads<ExportTask, void>({ module: new URL('./worker.js', import.meta.url), heapMb: 1_024 })
/** Start of Anki's day in hours after midnight */
const ROLLOVER_HOURS = 4

/**
 * Writes an export to a private temporary file in a worker thread and returns it as a stream with its size in bytes.
 * The file is already unlinked, so its space is freed when the stream is closed.
 * @param signal aborts the work
 * @throws NO_ROOM if the disk is full
 */
export async function openExport(
  db: Kysely<Database>,
  request: ExportRequest,
  tmpDir: string,
  signal: AbortSignal,
): Promise<{ stream: Readable; size: number }> {
  return writeInTurn(() =>
    withWorkFolder(tmpDir, 'export', async (folder) => {
      const handle = await open(await writeExport(db, request, folder, signal))
      const { size } = await handle.stat()
      return { stream: handle.createReadStream(), size }
    }),
  )
}

/** Writes an export into a private folder and returns the path of its file. Other files may remain in the folder. */
export async function writeExport(
  db: Kysely<Database>,
  request: ExportRequest,
  folder: string,
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted()
  const { format, deckId, sourceId, hasHidden, hasTests, userId, now, timeZone } = request
  const learner = userId === undefined ? null : await learnerOf(db, userId)
  const options: ExportWorkerOptions = { format, folder, now, learner, created: firstDay(timeZone) }
  const { items, picture } = readSource(db, {
    deckId,
    sourceId,
    hasHidden,
    userId,
    hasSheets: format === 'markdown' && deckId === undefined,
    hasTests: format === 'markdown' && deckId === undefined && (hasHidden === true || hasTests === true),
  })
  const iterator = items[Symbol.asyncIterator]()
  const reply = async (asked: ExportWorkerRequest) => {
    if (asked.ask === 'picture') return picture(asked.sha)
    const { done, value } = await iterator.next()
    return done ? undefined : value
  }
  await runWorker(options, reply, signal)
  return path.join(folder, 'export')
}

async function learnerOf(db: Kysely<Database>, userId: number): Promise<ExportWorkerOptions['learner']> {
  const { desired_retention, decay, by_deck } = await findParameters(db, userId)
  return {
    retention: desired_retention ?? DEFAULT_SETTINGS.desired_retention,
    decay: decay ?? undefined,
    byDeck: by_deck,
  }
}

function firstDay(timeZone: string): ExportWorkerOptions['created'] {
  const { instant, minutesWest } = startOfDay(FIRST_DAY, timeZone)
  return { seconds: instant.getTime() / 1000 + ROLLOVER_HOURS * 3600, minutesWest }
}

/** Resolves when the thread has completed the file. */
async function runWorker(
  options: ExportWorkerOptions,
  reply: (request: ExportWorkerRequest) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { port1: own, port2: port } = new MessageChannel()
  const failed = new AbortController()
  let last: Promise<void> = Promise.resolve()
  own.on('message', (request: ExportWorkerRequest) => {
    // Handles one request after another, because the thread matches replies to requests by their order.
    last = last.then(async () => own.postMessage(await reply(request))).catch((error) => failed.abort(error))
  })
  try {
    const either = AbortSignal.any(signal === undefined ? [failed.signal] : [failed.signal, signal])
    await threads.run({ options, port }, { signal: either, transferList: [port] })
  } finally {
    own.close()
  }
}
