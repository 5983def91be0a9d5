import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findPictures, type PlacedPicture, renamePictures } from '../../domain/content/find-pictures.js'
import type { IncomingPicture } from '../../domain/content/incoming.js'
import { findPictureType, MAX_PICTURE_BYTES, mediaTarget, resolvePicture } from '../../domain/content/pictures.js'
import type { Fault } from '../../domain/content/types.js'
import { runInTurns } from './turns.js'

/** A text of a file, to be replaced in its place. */
export interface FileText {
  text: string
  /** Where it begins in the file, or before. */
  line: number
  replace(text: string): void
}

export function mayShowPictures(text: string): boolean {
  return text.includes('![')
}

/** The file of a picture, or what is wrong with it. */
export type Found = IncomingPicture | string

const MEGABYTE = 2 ** 20
export const PICTURE_TOO_LARGE = `ist größer als ${MAX_PICTURE_BYTES / MEGABYTE} MB`
export const NO_PICTURE = 'ist weder PNG noch JPEG, GIF, WebP oder AVIF'
export const MISSING_PICTURE = 'gibt es nicht'

/** The pictures that the files of a folder, or of what is like one, show; each file is read once. */
export class FolderPictures {
  readonly #read: (path: string) => Promise<Found>
  readonly #byPath = new Map<string, Found>()

  constructor(read: (path: string) => Promise<Found>) {
    this.#read = read
  }

  /** Each picture once. */
  list(): IncomingPicture[] {
    const found = [...this.#byPath.values()].filter((one) => typeof one !== 'string')
    return [...new Map(found.map((picture) => [picture.sha, picture])).values()]
  }

  /**
   * Puts what pictures are stored as in the place of their paths, and nothing else.
   * @param bytes of the file, to find the line of a fault
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
      const told = new Set<string>()
      const complain = (picture: PlacedPicture, problem: string) => {
        if (told.has(picture.target)) return
        told.add(picture.target)
        const written = text.slice(picture.start, picture.end)
        faults.push({ file, line: findLine(bytes, line, written), message: `Das Bild „${picture.target}“ ${problem}` })
      }
      const replaced = renamePictures(text, (picture) => {
        const path = resolvePicture(file, picture.target)
        if (path === undefined) return undefined
        const found = path === null ? 'liegt nicht im Ordner der Inhalte' : (this.#byPath.get(path) as Found)
        if (typeof found !== 'string') return mediaTarget(found)
        complain(picture, found)
        return undefined
      })
      if (replaced !== text) replace(replaced)
    }
  }
}

/** The picture of that path below a folder. */
export function readPictureOf(folder: string): (path: string) => Promise<Found> {
  return async (path) => {
    try {
      const place = join(folder, path)
      const { size } = await stat(place)
      if (size > MAX_PICTURE_BYTES) return PICTURE_TOO_LARGE
      const bytes = await readFile(place)
      const extension = findPictureType(bytes)
      if (extension === undefined) return NO_PICTURE
      return { sha: hash('sha256', bytes, 'hex'), extension, size: bytes.length, path: place }
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

/** The first line from there on that holds the text; the file has faults, so it may take its time. */
function findLine(bytes: Uint8Array, from: number, text: string): number {
  const lines = new TextDecoder().decode(bytes).split(/\r\n?|\n/)
  const index = lines.findIndex((line, index) => index >= from - 1 && line.includes(text))
  return index < 0 ? from : index + 1
}
