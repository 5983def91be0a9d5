/** Roles that a person may give to a column; `wrong` and `option` may occur several times. */
export const CHOSEN_ROLES = [
  'question',
  'answer',
  'explanation',
  'wrong',
  'option',
  'correct',
  'level',
  'deck',
  'id',
  'guid',
  'tags',
] as const
export type ChosenRole = (typeof CHOSEN_ROLES)[number]
/** Roles that a person has chosen for the columns, in their order; null for a column that is not imported. */
export interface ColumnChoice {
  columns: readonly (ChosenRole | null)[]
  /** Whether the first row has headings; undefined means: if it looks like headings */
  hasHeadings?: boolean | undefined
}

/** What was found out about the columns of a table, for a person who checks or chooses them */
export interface TableDescription {
  /** Null for a workbook */
  separator: string | null
  /** Whether the first row has headings; if the columns are unclear, it is among the examples. */
  hasHeadings: boolean
  /** Whether the columns are unknown: an import is refused until the author chooses them */
  isUnclear: boolean
  columns: { heading: string | null; examples: string[]; role: ChosenRole | null }[]
}

/** What a person has chosen for the tables of a source, for its next upload */
export interface TableLayout {
  /** Null for a workbook */
  separator: string | null
  /** Null if the table has no headings */
  headings: string[] | null
  columns: (ChosenRole | null)[]
}

export function layoutOf({ separator, columns, hasHeadings }: TableDescription): TableLayout {
  return {
    separator,
    headings: hasHeadings ? columns.map(({ heading }) => heading ?? '') : null,
    columns: columns.map(({ role }) => role),
  }
}

/**
 * Returns whether a row is the first one of a table with this layout: it has as many columns, and the same headings if
 * there were any.
 */
export function isOfLayout({ headings, columns }: TableLayout, row: readonly string[]): boolean {
  if (row.length !== columns.length) return false
  return headings?.every((heading, place) => heading === shortenCell(row[place] ?? '')) ?? true
}

export function choiceOf({ columns, headings }: TableLayout): ColumnChoice {
  return { columns, hasHeadings: headings !== null }
}

const MAX_CELL = 60

/** Returns a cell as one short line. */
export function shortenCell(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL)}…` : line
}
