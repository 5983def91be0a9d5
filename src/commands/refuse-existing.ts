import { access } from 'node:fs/promises'
import { RefusedError } from './store.js'

/** @throws RefusedError if the file exists */
export async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (exists) throw new RefusedError(`Die Datei ${file} gibt es schon.`)
}
