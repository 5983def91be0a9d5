import type { Kysely } from 'kysely'
import pLimit from 'p-limit'
import { findSource } from '../../../db/queries/content/sources.js'
import { listLevels } from '../../../db/queries/content/stored.js'
import type { Database } from '../../../db/types.js'
import type { Incoming } from '../../domain/content/incoming.js'
import type { ReadOptions } from './incoming/options.js'
import { readIncoming } from './incoming/read-incoming.js'

/** Each may take half a gigabyte for a minute. */
const readInTurn = pLimit(1)

export interface UploadReadOptions extends Omit<ReadOptions, 'levels' | 'defaultDeck'> {
  /** The source that it updates, whose name is also that of the deck of rows without one. */
  sourceId?: number | undefined
  /** Of the source that it makes. */
  name: string
  timeoutMs?: number | undefined
}

/** Reads an upload with the levels of the store; one at a time in this process. See `readIncoming`. */
export function readUpload(
  db: Kysely<Database>,
  path: string,
  { sourceId, name, ...options }: UploadReadOptions,
): Promise<Incoming> {
  return readInTurn(async () => {
    const source = sourceId === undefined ? undefined : await findSource(db, sourceId)
    return readIncoming(path, { ...options, defaultDeck: source?.name ?? name, levels: await listLevels(db) })
  })
}
