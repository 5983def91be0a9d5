/** A failure to make or restore a backup; the message is one German line for the operator. */
export class BackupError extends Error {}

export interface BackupHeader {
  format: 'svc-training-backup'
  version: 1
  created_at: string
  /** Names of the applied migrations, in order */
  migrations: string[]
}

/** Number of rows by table */
export type RowCounts = Record<string, number>

export interface TableLine {
  table: string
  columns: string[]
}

export interface EndLine {
  counts: RowCounts
  /** Last sequence value by identity column, such as `users.id`; null if the sequence was never used */
  sequences: Record<string, string | null>
}

/** A row with the text form of each value, as PostgreSQL writes and reads it. */
export type BackupRow = (string | null)[]

/**
 * Parses the first line of a backup.
 * @throws BackupError if the line is not the header of a backup, or has another format version
 * @example parseHeader('{"format":"svc-training-backup","version":1,"migrations":[]}').version // 1
 */
export function parseHeader(line: string | undefined): BackupHeader {
  const header = parseLine(line ?? '') as Partial<BackupHeader> | undefined
  if (header?.format !== 'svc-training-backup') {
    throw new BackupError('Die Datei ist keine Sicherung dieses Programms.')
  }
  if (header.version !== 1) throw new BackupError('Die Sicherung stammt von einer neueren Programmversion.')
  return header as BackupHeader
}

/**
 * Parses a line as JSON; returns undefined if the JSON is invalid.
 * @example parseLine('["a",null]') // ['a', null]
 */
export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isTableLine(line: unknown): line is TableLine {
  return typeof (line as TableLine | undefined)?.table === 'string'
}

export function isEndLine(line: unknown): line is EndLine {
  return typeof (line as EndLine | undefined)?.counts === 'object'
}
