/** A backup cannot be made or restored; the message is one German line for the operator. */
export class BackupError extends Error {}

/** The first line of a backup. */
export interface BackupHeader {
  format: 'svc-training-backup'
  version: 1
  created_at: string
  /** Names of the migrations that had been applied to the store, in their order. */
  migrations: string[]
}

/** Rows by table. */
export type Counts = Record<string, number>

export interface TableLine {
  table: string
  columns: string[]
}

export interface EndLine {
  counts: Counts
  /** Per identity column (`users.id`) the value that the next insert follows, or null when there was none. */
  sequences: Record<string, string | null>
}

/** A row: the text form of each value, as PostgreSQL writes and reads it. */
export type Row = (string | null)[]

/** Reads the first line. @throws BackupError when the file is no backup or of a later version of the format */
export function parseHeader(line: string | undefined): BackupHeader {
  const header = parseLine(line ?? '') as Partial<BackupHeader> | undefined
  if (header?.format !== 'svc-training-backup') {
    throw new BackupError('Die Datei ist keine Sicherung dieses Programms.')
  }
  if (header.version !== 1) throw new BackupError('Die Sicherung stammt von einer neueren Programmversion.')
  return header as BackupHeader
}

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
