import { InvalidInput, InvalidParameter } from '../../refusal.js'
import type { TableChoice } from '../../table/index.js'
import { CHOSEN_ROLES, type ChosenRole, type ColumnChoice } from '../../table-layout.js'
import { toNfc } from '../../text/nfc.js'
import { isInteger, parseFlag, parseId, splitList } from '../../text/parameters.js'
import { countCharacters, hasControls, isStorable } from '../../text/text.js'

const EXTENSION = /\.(?:apkg|colpkg|csv|gift|tsv|txt|xlsx|xlsm|xml|zip)$/i
const MAX_LENGTH = 200

export interface UploadName {
  /** Name of the source: a given name, or the file name without folders and extension; may be empty with a source id */
  name: string
  /** File name; null if the given name has no extension in `EXTENSION`, for example for a pasted table */
  fileName: string | null
}

export interface UploadParameters extends UploadName {
  /** Id of the source to update; undefined if not given, null if the given id does not fit into an integer column */
  sourceId: number | null | undefined
  isNew: boolean
  mirror: boolean
  /**
   * Version of a card, sheet or test to keep if it was edited in the service and differs from the file: `ours` is the
   * stored version, `theirs` that of the file
   */
  keep: 'ours' | 'theirs'
  /** Ids of cards that get the version of the file even if `keep` is `ours` */
  theirs: ReadonlySet<number>
  /** Whether new decks are active for all learners */
  active: boolean
  deck: string | undefined
  level: string | undefined
  /** Chosen columns and separator of a table */
  table: TableChoice
}

type Name =
  | 'columns'
  | 'separator'
  | 'headings'
  | 'name'
  | 'source'
  | 'new'
  | 'deck'
  | 'level'
  | 'mirror'
  | 'active'
  | 'keep'
  | 'theirs'
type Query = { [Key in Name]?: string | undefined }

/**
 * Parses the query of an upload.
 * @throws InvalidInput if a parameter is invalid, or both `source` and `new` are given; the message names the parameter
 * @example parseUploadQuery({ name: 'Netz.csv', mirror: 'true' }).mirror // true
 */
export function parseUploadQuery(query: Query): UploadParameters {
  const isNew = parseFlag(query.new, 'new')
  const sourceId = parseSourceId(query.source)
  if (isNew && sourceId !== undefined) throw new InvalidInput('Die Parameter „source“ und „new“ schließen sich aus')
  return {
    ...parseUploadName(query.name, sourceId !== undefined),
    sourceId,
    isNew,
    mirror: parseFlag(query.mirror, 'mirror'),
    keep: parseKeep(query.keep),
    theirs: parseIds(query.theirs),
    active: parseFlag(query.active, 'active'),
    deck: parseText(query.deck, 'deck'),
    level: parseText(query.level, 'level'),
    table: { columns: parseColumns(query.columns, query.headings), separator: parseSeparator(query.separator) },
  }
}

const MAX_COLUMNS = 100

/** Parses the roles of columns, such as `question,answer,-,level`. */
function parseColumns(text: string | undefined, headings: string | undefined): ColumnChoice | undefined {
  if (text === undefined || text === '') return undefined
  const words = splitList(text).map((word) => word.trim())
  const columns = words.map((word) => (word === '-' || word === '' ? null : word)) as ColumnChoice['columns']
  const known: readonly string[] = CHOSEN_ROLES
  if (words.length > MAX_COLUMNS || columns.some((role) => role !== null && !known.includes(role))) {
    throw new InvalidParameter('columns', `muss aus ${CHOSEN_ROLES.join(', ')} oder - bestehen, etwa question,answer,-`)
  }
  const count = (role: ChosenRole) => columns.filter((one) => one === role).length
  const twice = CHOSEN_ROLES.find((role) => role !== 'wrong' && role !== 'option' && count(role) > 1)
  if (twice !== undefined) throw new InvalidParameter('columns', `nennt ${twice} zweimal`)
  const hasAnswer = count('answer') === 1 || (count('option') > 1 && count('correct') === 1)
  if (count('question') === 0 || !hasAnswer) {
    throw new InvalidParameter('columns', 'braucht question und answer, oder question, mehrere option und correct')
  }
  const isGiven = headings !== undefined && headings !== ''
  return { columns, hasHeadings: isGiven ? parseFlag(headings, 'headings') : undefined }
}

const SEPARATORS: Readonly<Record<string, string>> = { tab: '\t', semicolon: ';', comma: ',', pipe: '|' }

function parseSeparator(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const separator = Object.hasOwn(SEPARATORS, text) ? SEPARATORS[text] : undefined
  if (separator === undefined) throw new InvalidParameter('separator', 'muss tab, semicolon, comma oder pipe sein')
  return separator
}

/** Returns the name of a separator in the parameter `separator`; null for another character. */
export function nameSeparator(separator: string | null): string | null {
  return Object.entries(SEPARATORS).find(([, character]) => character === separator)?.[0] ?? null
}

/**
 * Parses the name of an upload.
 * @param isOptional whether the name may be missing, because the request specifies the source
 * @throws InvalidInput if the name is missing, too long or not storable, or contains control characters
 * @example parseUploadName('Netz.csv', false) // { name: 'Netz', fileName: 'Netz.csv' }
 */
function parseUploadName(text: string | undefined, isOptional: boolean): UploadName {
  const whole = text?.trim() ?? ''
  // Removes folders only from file names, because a source may be called „TCP/IP“.
  const given = parseText(EXTENSION.test(whole) ? whole.split(/[/\\]/).at(-1) : whole, 'name') ?? ''
  const name = given.replace(EXTENSION, '').trim()
  if (name === '' && !isOptional) {
    throw new InvalidParameter('name', 'fehlt: der Name der Datei oder der Quelle')
  }
  return { name, fileName: EXTENSION.test(given) ? given : null }
}

function parseKeep(text: string | undefined): 'ours' | 'theirs' {
  if (text === undefined || text === '' || text === 'ours') return 'ours'
  if (text !== 'theirs') throw new InvalidParameter('keep', 'muss ours oder theirs sein')
  return text
}

function parseIds(text: string | undefined): Set<number> {
  const ids = splitList(text ?? '').filter((part) => part !== '')
  return new Set(
    ids.map((part) => {
      const id = parseId(part)
      if (id === undefined) throw new InvalidParameter('theirs', 'muss aus Nummern von Karten bestehen, etwa 3,17')
      return id
    }),
  )
}

function parseSourceId(text: string | undefined): number | null | undefined {
  if (text === undefined || text === '') return undefined
  const id = parseId(text)
  if (id === undefined) throw new InvalidParameter('source', 'muss die Nummer einer Quelle sein')
  return isInteger(id) ? id : null
}

function parseText(given: string | undefined, name: string): string | undefined {
  const text = toNfc(given ?? '').trim()
  if (countCharacters(text) > MAX_LENGTH) {
    throw new InvalidParameter(name, `darf höchstens ${MAX_LENGTH} Zeichen haben`, { details: { maximum: MAX_LENGTH } })
  }
  if (!isStorable(text) || hasControls(text)) {
    throw new InvalidParameter(name, 'enthält unzulässige Zeichen')
  }
  return text === '' ? undefined : text
}
