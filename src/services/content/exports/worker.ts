import { parentPort, workerData } from 'node:worker_threads'
import type { ExportFormat } from '../../../domain/content/export-formats.js'
import type { ExportItem, ExportSource } from './items.js'
import type { PackageOptions } from './write-apkg.js'

export interface WorkerOptions extends PackageOptions {
  format: ExportFormat
  /** Path of a private folder; the result is written to its file `export` */
  folder: string
}

/**
 * Messages of the thread. Requests for an item or a picture are answered in order, with undefined after the last item
 * or for a missing picture; `end` gets no answer.
 */
export type WorkerRequest = { ask: 'item' } | { ask: 'picture'; sha: string } | { ask: 'end' }

const port = parentPort
if (port === null) throw new Error('this is a worker thread')

const waiting: ((answer: unknown) => void)[] = []
port.on('message', (answer: unknown) => waiting.shift()?.(answer))

function ask<T>(request: WorkerRequest): Promise<T | undefined> {
  port?.postMessage(request)
  return new Promise((resolve) => waiting.push(resolve as (answer: unknown) => void))
}

/** Yields the items. Requests the next item in advance, so that it is read while the current item is written. */
async function* readItems(): AsyncGenerator<ExportItem> {
  let next = ask<ExportItem>({ ask: 'item' })
  for (;;) {
    const item = await next
    if (item === undefined) return
    next = ask<ExportItem>({ ask: 'item' })
    yield item
  }
}

const source: ExportSource = { items: readItems(), picture: (sha) => ask<Uint8Array>({ ask: 'picture', sha }) }
const { format, folder, ...options } = workerData as WorkerOptions
// Each format loads only its own modules.
if (format === 'apkg') await (await import('./write-apkg.js')).writeApkg(source, folder, options)
else if (format === 'csv') await (await import('./write-csv.js')).writeCsv(source, folder)
else await (await import('./write-markdown.js')).writeMarkdown(source, folder)
port.postMessage({ ask: 'end' } satisfies WorkerRequest)
port.close()
