import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compareText } from '../../../../domain/content/findings.js'
import { FaultyContent, ForeignFile, NOT_A_PACKAGE } from '../../../../domain/content/refusals.js'
import {
  getOrCreateDeck,
  type Incoming,
  type IncomingDeck,
  type IncomingPicture,
} from '../../../../domain/content/upload/incoming.js'
import { type Details, InvalidInput } from '../../../../domain/refusal.js'
import { LEFTOVER } from './archive.js'
import { Findings } from './findings.js'
import { LIMITS } from './limits.js'
import type { ReadOptions } from './options.js'
import { writePieces, type Zip } from './zip.js'

/** Reads a file that was unpacked from an archive. */
export type ReadEntry = (path: string, options: ReadOptions) => Promise<Incoming>

const READABLE = /\.(?:csv|tsv|xlsx|xlsm|xls|ods|gift|xml|txt)$/i
/** Files that often contain something else, such as a readme: left out if their format is not supported */
const PERHAPS = /\.(?:xml|txt)$/i
const NAMED_FILES = 2
const UNCLEAR = 'Was in den Spalten steht, ist nicht zu erkennen; lade diese Tabelle für sich hoch'
const UNKNOWN = 'Das Format dieser Datei ist unbekannt'

/**
 * Reads the tables and question files of an archive as one upload. Returns undefined if there are none.
 * @throws FaultyContent if files have faults; faults name the file
 * @throws ForeignFile if the only files of a readable kind have a format that is not supported
 * @throws DamagedPackage if an entry cannot be unpacked
 * @throws FileTooLarge, MediaFull if the files together exceed a limit
 */
export async function readBundle(zip: Zip, options: ReadOptions, read: ReadEntry): Promise<Incoming | undefined> {
  const names = zip.names.filter((name) => !LEFTOVER.test(name))
  const readable = names.filter((name) => READABLE.test(name)).sort(compareText)
  const bundle = new Bundle(options, readable.length === 1)
  for (const name of readable) {
    const path = join(options.workFolder, 'entry')
    await unpack(zip, name, path)
    await bundle.add(name, (options) => read(path, options))
    rmSync(path)
  }
  return bundle.finish(names.filter((name) => !READABLE.test(name)))
}

async function unpack(zip: Zip, name: string, path: string): Promise<void> {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    await writePieces(descriptor, zip.read(name, LIMITS.tableBytes))
  } finally {
    closeSync(descriptor)
  }
}

class Bundle {
  readonly #options: ReadOptions
  readonly #isSingle: boolean
  readonly #findings = new Findings()
  readonly #decks = new Map<string, IncomingDeck>()
  readonly #pictures = new Map<string, IncomingPicture>()
  readonly #omitted: { name: string; reason: string; details?: Details | undefined }[] = []
  #files = 0
  #pictureBytes = 0
  #table: Incoming['table']

  /** @param isSingle whether the archive contains one file, to which chosen columns apply */
  constructor(options: ReadOptions, isSingle: boolean) {
    this.#options = options
    this.#isSingle = isSingle
  }

  async add(name: string, read: (options: ReadOptions) => Promise<Incoming>): Promise<void> {
    const { maxPictureBytes = LIMITS.pictureBytes, table } = this.#options
    try {
      const incoming = await read({
        ...this.#options,
        fileName: name,
        table: this.#isSingle ? table : undefined,
        maxPictureBytes: maxPictureBytes - this.#pictureBytes,
      })
      this.#merge(name, incoming)
    } catch (error) {
      if (error instanceof FaultyContent) {
        for (const { file, line, message, kind } of error.faults) this.#findings.fault(file, line, message, kind)
      } else if (error === NOT_A_PACKAGE) this.#refuse(name, UNKNOWN)
      else if (error instanceof InvalidInput) {
        this.#refuse(name, error.message, error instanceof ForeignFile ? error.details : undefined)
      } else throw error
    }
  }

  /** Returns the upload; undefined if no file of the archive could be read. */
  finish(others: readonly string[]): Incoming | undefined {
    this.#findings.throwFaults()
    const [omitted] = this.#omitted
    if (this.#files === 0) {
      if (omitted === undefined) return undefined
      const { name, reason, details } = omitted
      throw new ForeignFile({ message: `Im Archiv liegt „${name.slice(0, 100)}“. ${reason}`, details })
    }
    for (const { name, reason } of this.#omitted) {
      this.#findings.warn(name, 0, `Diese Datei bleibt weg. ${reason}`, 'omitted')
    }
    if (others.length > 0) {
      const shown = others.slice(0, NAMED_FILES).map((name) => `„${name.slice(0, 100)}“`)
      const more = others.length > NAMED_FILES ? ' …' : ''
      const message = `Was im Archiv sonst noch liegt, bleibt weg: ${shown.join(', ')}${more}`
      this.#findings.summarise(this.#options.fileName, message)
    }
    return {
      kind: 'table',
      decks: [...this.#decks.values()],
      sheets: [],
      pictures: [...this.#pictures.values()],
      ...(this.#table !== undefined && { table: this.#table }),
      ...this.#findings.warnings,
    }
  }

  #refuse(name: string, reason: string, details?: Details): void {
    if (PERHAPS.test(name)) this.#omitted.push({ name, reason, details })
    else this.#findings.fault(name, 0, reason)
  }

  #merge(name: string, { decks, pictures, table, warnings, warningsTotal }: Incoming): void {
    this.#files++
    if (this.#isSingle) this.#table = table
    else if (table?.isUnclear) this.#findings.fault(name, 0, UNCLEAR)
    for (const deck of decks) {
      const { cards } = getOrCreateDeck(this.#decks, deck.name)
      for (const card of deck.cards) {
        this.#findings.countCard(card)
        cards.push(card)
      }
    }
    for (const picture of pictures) {
      if (!this.#pictures.has(picture.sha)) this.#pictureBytes += picture.size
      this.#pictures.set(picture.sha, picture)
    }
    this.#findings.addWarnings(warnings, warningsTotal)
  }
}
