import type { MessagePort } from 'node:worker_threads'
import type { ExportFormat } from '../../../domain/content/export-formats.js'
import { handleTasks } from '../../handle-tasks.js'
import type { ExportItem, ExportSource } from './items.js'
import type { PackageOptions } from './write-apkg.js'

export interface ExportWorkerOptions extends PackageOptions {
  format: ExportFormat
  /** Path of a private folder; the result is written to its file `export` */
  folder: string
}

export interface ExportTask {
  options: ExportWorkerOptions
  port: MessagePort
}

/** Messages of the thread. The replies arrive in the same order, with undefined after the last item or for a missing picture. */
export type ExportWorkerRequest = { ask: 'item' } | { ask: 'picture'; sha: string }

/** Writes the export. Requests items and pictures through `port`. */
async function write({ options: { format, folder, ...options }, port }: ExportTask): Promise<void> {
  const source = readSource(port)
  try {
    // Each format loads only its own modules.
    if (format === 'apkg') await (await import('./write-apkg.js')).writeApkg(source, folder, options)
    else if (format === 'csv') await (await import('./write-csv.js')).writeCsv(source, folder)
    else await (await import('./write-markdown.js')).writeMarkdown(source, folder)
  } finally {
    port.close()
  }
}

function readSource(port: MessagePort): ExportSource {
  const waiting: ((reply: unknown) => void)[] = []
  port.on('message', (reply: unknown) => waiting.shift()?.(reply))

  function ask<T>(request: ExportWorkerRequest): Promise<T | undefined> {
    port.postMessage(request)
    return new Promise((resolve) => waiting.push(resolve as (reply: unknown) => void))
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

  return { items: readItems(), picture: (sha) => ask<Uint8Array>({ ask: 'picture', sha }) }
}

handleTasks(write)
