import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Returns the names and texts of the files below these folders whose name matches the pattern. */
export function readSources(folders, pattern) {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => pattern.test(name))
      .map((name) => path.posix.join(folder, name))
      .map((file) => ({ file, text: readFileSync(file, 'utf8') })),
  )
}
