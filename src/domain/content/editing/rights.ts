/** Sources that a user may edit: `all` for administrators, who may also see what belongs to none. */
export type Editable = 'all' | ReadonlySet<number>

/** What an editing route works on. A source is named by its id; a deck, a sheet and a test by their slug. */
export type ItemKind = 'source' | 'deck' | 'card' | 'sheet' | 'test' | 'report' | 'change'

/**
 * Returns whether content of the source may be edited.
 * @param sourceId null for the content folder and for rows of scripts
 */
export function mayEdit(editable: Editable, sourceId: number | null): boolean {
  return editable === 'all' || (sourceId !== null && editable.has(sourceId))
}

/** A user who edits. */
export interface Editor {
  id: number
  editable: Editable
}
