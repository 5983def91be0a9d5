import type { Kysely } from 'kysely'
import pLimit from 'p-limit'
import { listLevels } from '../../../db/queries/content/import.js'
import type { Database } from '../../../db/types.js'
import type { Incoming } from '../../domain/content/incoming.js'
import type { ReadOptions } from './incoming/options.js'
import { readIncoming } from './incoming/read-incoming.js'

/** Each may take half a gigabyte for a minute. */
const readInTurn = pLimit(1)

/** Reads an upload with the levels of the store; one at a time in this process. See `readIncoming`. */
export function readUpload(
  db: Kysely<Database>,
  path: string,
  options: Omit<ReadOptions, 'levels'> & { timeoutMs?: number | undefined },
): Promise<Incoming> {
  return readInTurn(async () => readIncoming(path, { ...options, levels: await listLevels(db) }))
}
