import { CHOSEN_ROLES, type ChosenRole, shortenCell, type TableDescription } from '../table-layout.js'
import type { FoundColumns } from './columns.js'
/** Maximum number of rows that decide what the columns are */
export const HEAD_ROWS = 20
const EXAMPLES = 3

/** Returns the columns that have a text in one of the rows, in their order. */
export function usedColumns(rows: readonly (readonly string[])[]): number[] {
  const used = new Set<number>()
  for (const fields of rows) for (const [place, field] of fields.entries()) if (field.trim() !== '') used.add(place)
  return [...used].sort((a, b) => a - b)
}

/**
 * Describes a table by its first rows.
 * @param rows not empty; the first one may have headings
 */
export function describeTable(
  rows: readonly (readonly string[])[],
  found: FoundColumns,
  separator: string | null,
): TableDescription {
  const columns = found !== 'unclear' && 'columns' in found ? found.columns : undefined
  const hasHeadings = columns?.hasHeadings ?? false
  const examples = rows.slice(hasHeadings ? 1 : 0, hasHeadings ? EXAMPLES + 1 : EXAMPLES)
  const count = Math.max(...rows.map((fields) => fields.length))
  const roles = new Map<number, ChosenRole>()
  for (const [role, place] of columns?.places ?? []) {
    // A column „Antwort“ beside options has two roles; as a choice, only `correct` makes questions of it.
    if (isChosen(role) && roles.get(place) !== 'correct') roles.set(place, role)
  }
  for (const place of columns?.wrong ?? []) roles.set(place, 'wrong')
  for (const place of columns?.options ?? []) roles.set(place, 'option')
  return {
    separator,
    hasHeadings,
    isUnclear: found === 'unclear',
    columns: Array.from({ length: count }, (_, place) => ({
      heading: hasHeadings ? shortenCell(rows[0]?.[place] ?? '') : null,
      examples: examples.map((fields) => shortenCell(fields[place] ?? '')),
      role: roles.get(place) ?? null,
    })),
  }
}

function isChosen(role: string): role is ChosenRole {
  return (CHOSEN_ROLES as readonly string[]).includes(role)
}
