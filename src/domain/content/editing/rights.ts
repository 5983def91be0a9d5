/** Ids of the sources that a user may edit; `all` for administrators, whose rights include content without a source. */
export type Editable = 'all' | ReadonlySet<number>

/** Kind of item that an editing route addresses: decks, sheets and tests by slug, other items by id */
export type ItemKind = 'source' | 'deck' | 'card' | 'sheet' | 'test' | 'report' | 'change'

/**
 * Returns whether a user with these rights may edit content of the source.
 * @param sourceId null for content of the folder or of scripts
 */
export function mayEdit(editable: Editable, sourceId: number | null): boolean {
  return editable === 'all' || (sourceId !== null && editable.has(sourceId))
}

/** A user who edits content. */
export interface Editor {
  id: number
  editable: Editable
}
