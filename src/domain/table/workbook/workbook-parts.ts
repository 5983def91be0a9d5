import { posix } from 'node:path'
import { TextDecoder } from 'node:util'
import { collectRelationships, type Relationship } from './parts.js'
import { type XmlHandler, XmlParser } from './xml.js'

/** The package of a workbook: a zip of XML files, which are called parts. */
export interface WorkbookPackage {
  names: readonly string[]
  /** Yields the bytes of a part. @throws if there is no such part or a limit is exceeded */
  read(name: string): AsyncIterable<Uint8Array>
}

export class WorkbookParts {
  readonly #source: WorkbookPackage
  /** Names of the parts by their lower-case form: some programs write references in another case. */
  readonly #names: ReadonlyMap<string, string>

  constructor(source: WorkbookPackage) {
    this.#source = source
    this.#names = new Map(source.names.map((name) => [name.toLowerCase(), name]))
  }

  async *read(part: string): AsyncGenerator<string> {
    let decoder: TextDecoder | undefined
    for await (const bytes of this.#source.read(this.#find(part) ?? part)) {
      decoder ??= new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : 'utf-8')
      yield decoder.decode(bytes, { stream: true })
    }
  }

  async parse(part: string, handler: XmlHandler): Promise<void> {
    const parser = new XmlParser(handler)
    for await (const piece of this.read(part)) parser.write(piece)
    parser.end()
  }

  /** Returns the relationships of a part; `''` is the package itself. */
  async relationshipsOf(part: string): Promise<Relationship[]> {
    const folder = posix.dirname(part || '.')
    const file = posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
    const relationships: Relationship[] = []
    if (this.#find(file) !== undefined) await this.parse(file, collectRelationships(folder, relationships))
    return relationships
  }

  #find(part: string): string | undefined {
    return this.#source.names.includes(part) ? part : this.#names.get(part.toLowerCase())
  }
}
