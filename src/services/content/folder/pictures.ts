import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fault } from '../../../domain/content/types.js'
import type { IncomingPicture } from '../../../domain/content/upload/incoming.js'
import {
  checkPicture,
  findPictures,
  MAX_PICTURE_BYTES,
  MISSING_PICTURE,
  mediaTarget,
  PICTURE_TOO_LARGE,
  type PlacedPicture,
  renamePictures,
  resolvePicture,
} from '../../../domain/pictures/index.js'
import { runInTurns } from '../turns.js'

/** A text of a file, with a callback that replaces it in the parsed content. */
export interface FileText {
  text: string
  /** Line of the file at or after which the text starts, from 1 */
  line: number
  replace(text: string): void
}

export function mayShowPictures(text: string): boolean {
  return text.includes('![')
}

/** A picture file, or its fault as part of a German sentence */
export type FoundPicture = IncomingPicture | string

/** Pictures that the files of a folder or archive reference; each is read once. */
export class FolderPictures {
  readonly #read: (path: string) => Promise<FoundPicture>
  readonly #byPath = new Map<string, FoundPicture>()

  constructor(read: (path: string) => Promise<FoundPicture>) {
    this.#read = read
  }

  list(): IncomingPicture[] {
    const found = [...this.#byPath.values()].filter((one) => typeof one !== 'string')
    return [...new Map(found.map((picture) => [picture.sha, picture])).values()]
  }

  /**
   * Replaces the paths of pictures in the texts with their stored targets. Adds a fault for each picture that is
   * missing or invalid.
   * @param bytes content of the file, to find the lines of faults
   */
  async place(file: string, bytes: Uint8Array, texts: readonly FileText[], faults: Fault[]): Promise<void> {
    const paths = await runInTurns(listPaths(file, texts))
    for (const path of paths) {
      if (!this.#byPath.has(path)) this.#byPath.set(path, await this.#read(path))
    }
    await runInTurns(this.#replace(file, bytes, texts, faults))
  }

  *#replace(file: string, bytes: Uint8Array, texts: readonly FileText[], faults: Fault[]): Generator<void, void> {
    for (const { text, line, replace } of texts) {
      yield
      const reported = new Set<string>()
      const addFault = (picture: PlacedPicture, problem: string) => {
        if (reported.has(picture.target)) return
        reported.add(picture.target)
        const written = text.slice(picture.start, picture.end)
        faults.push({ file, line: findLine(bytes, line, written), message: `Das Bild „${picture.target}“ ${problem}` })
      }
      const replaced = renamePictures(text, (picture) => {
        const path = resolvePicture(file, picture.target)
        if (path === undefined) return undefined
        const found = path === null ? 'liegt nicht im Ordner der Inhalte' : (this.#byPath.get(path) as FoundPicture)
        if (typeof found !== 'string') return mediaTarget(found)
        addFault(picture, found)
        return undefined
      })
      if (replaced !== text) replace(replaced)
    }
  }
}

export function readPictureOf(folder: string): (path: string) => Promise<FoundPicture> {
  return async (path) => {
    try {
      const place = join(folder, path)
      const { size } = await stat(place)
      if (size > MAX_PICTURE_BYTES) return PICTURE_TOO_LARGE
      const bytes = await readFile(place)
      const checked = checkPicture(bytes)
      if ('problem' in checked) return checked.problem
      return { ...checked, sha: hash('sha256', bytes, 'hex'), size: bytes.length, path: place }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? MISSING_PICTURE : `ist nicht lesbar (${code})`
    }
  }
}

function* listPaths(file: string, texts: readonly FileText[]): Generator<void, Set<string>> {
  const paths = new Set<string>()
  for (const { text } of texts) {
    yield
    for (const { target } of findPictures(text)) {
      const path = resolvePicture(file, target)
      if (path !== undefined && path !== null) paths.add(path)
    }
  }
  return paths
}

/** Returns the number of the first line from `from` on that contains the text, or `from`. Slow, so for faults only. */
function findLine(bytes: Uint8Array, from: number, text: string): number {
  const lines = new TextDecoder().decode(bytes).split(/\r\n?|\n/)
  const index = lines.findIndex((line, index) => index >= from - 1 && line.includes(text))
  return index < 0 ? from : index + 1
}
