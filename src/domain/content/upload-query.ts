import { BadRequest } from '../refusals.js'
import { isInteger, parseFlag, parseId } from '../text/parameters.js'
import { countCharacters, isStorable } from '../text/text.js'

const EXTENSION = /\.(?:apkg|colpkg|csv|tsv|txt|zip)$/i
const MAX_LENGTH = 200

/** What an upload is called. */
export interface UploadName {
  /** Of its source: without folders and the extension of a file. */
  name: string
  /** Null when it is the name of no file, as that of a pasted table. */
  fileName: string | null
}

/** What is to become of an upload. */
export interface UploadWishes extends UploadName {
  /** The source that it updates; null when no source can have the id. */
  sourceId: number | null | undefined
  isNew: boolean
  mirror: boolean
  deck: string | undefined
  level: string | undefined
}

type Query = { [Name in 'name' | 'source' | 'new' | 'deck' | 'level' | 'mirror']?: string | undefined }

/** @throws BadRequest naming the parameter that is wrong */
export function parseUploadQuery(query: Query): UploadWishes {
  const isNew = parseFlag(query.new, 'new')
  const sourceId = parseSourceId(query.source)
  if (isNew && sourceId !== undefined) throw new BadRequest('Die Parameter "source" und "new" schließen sich aus')
  return {
    ...parseUploadName(query.name, sourceId !== undefined),
    sourceId,
    isNew,
    mirror: parseFlag(query.mirror, 'mirror'),
    deck: parseText(query.deck, 'deck'),
    level: parseText(query.level, 'level'),
  }
}

/** @param isOptional whether it may be missing, since the upload has a source */
export function parseUploadName(text: string | undefined, isOptional: boolean): UploadName {
  const whole = text?.trim() ?? ''
  // Only a file has folders in front; „TCP/IP“ is a name.
  const given = parseText(EXTENSION.test(whole) ? whole.split(/[/\\]/).at(-1) : whole, 'name') ?? ''
  const name = given.replace(EXTENSION, '').trim()
  if (name === '' && !isOptional) {
    throw new BadRequest('Der Parameter "name" fehlt: der Name der Datei oder der Quelle')
  }
  return { name, fileName: EXTENSION.test(given) ? given : null }
}

function parseSourceId(text: string | undefined): number | null | undefined {
  if (text === undefined || text === '') return undefined
  const id = parseId(text)
  if (id === undefined) throw new BadRequest('Der Parameter "source" muss die Nummer einer Quelle sein')
  return isInteger(id) ? id : null
}

function parseText(given: string | undefined, name: string): string | undefined {
  const text = given?.normalize('NFC').trim() ?? ''
  if (countCharacters(text) > MAX_LENGTH) {
    throw new BadRequest(`Der Parameter "${name}" darf höchstens ${MAX_LENGTH} Zeichen haben`)
  }
  if (!isStorable(text) || /\p{Cc}/u.test(text)) {
    throw new BadRequest(`Der Parameter "${name}" enthält unzulässige Zeichen`)
  }
  return text === '' ? undefined : text
}
