/** Ids of the sources that a user may edit; `all` for administrators, who may also see content without a source. */
export type Editable = 'all' | ReadonlySet<number>

/** Kind of item that an editing route addresses: decks, sheets and tests by slug, the others by id */
export type ItemKind = 'source' | 'deck' | 'card' | 'sheet' | 'test' | 'report' | 'change'

/**
 * Returns whether content of the source may be edited.
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
