import { parentPort, workerData } from 'node:worker_threads'
import { FaultyContent, HttpError } from '../../../domain/refusals.js'
import type { ReadOptions } from './options.js'
import { readFile } from './read-file.js'
import type { Outcome } from './read-incoming.js'

const { path, options } = workerData as { path: string; options: ReadOptions }

async function read(): Promise<Outcome> {
  try {
    return { incoming: await readFile(path, options) }
  } catch (error) {
    if (error instanceof FaultyContent) return { faults: error.faults }
    if (error instanceof HttpError) {
      return { refusal: { statusCode: error.statusCode, message: error.message, title: error.title } }
    }
    throw error
  }
}

parentPort?.postMessage(await read())
