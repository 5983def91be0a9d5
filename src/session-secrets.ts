import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from './config.js'

const SECRET_FILE = 'session-secret'

/**
 * Returns the configured secrets. If there are none (embedded mode), returns the secret stored beside the database,
 * which is generated at the first start.
 */
export async function loadSessionSecrets(config: Config): Promise<string[]> {
  if (config.sessionSecrets.length > 0) return config.sessionSecrets
  const file = path.join(config.dataDir, SECRET_FILE)
  const stored = await readFile(file, 'utf8').catch(() => '')
  if (stored.length >= 64) return [stored]
  const secret = randomBytes(32).toString('hex')
  await writeFile(file, secret, { mode: 0o600 })
  return [secret]
}
