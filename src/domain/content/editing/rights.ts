/** Ids of the sources that a user may edit; `all` for administrators, whose rights include content without a source. */
export type Editable = 'all' | ReadonlySet<number>

/** Kind of item that an editing route addresses: decks, sheets and tests by slug, other items by id */
export type ItemKind = 'source' | 'deck' | 'card' | 'sheet' | 'test' | 'report' | 'change'

/** Returns whether a user may edit content. @param sourceId source of the content; null if there is none */
export function mayEdit(editable: Editable, sourceId: number | null): boolean {
  return editable === 'all' || (sourceId !== null && editable.has(sourceId))
}

export interface Editor {
  id: number
  editable: Editable
}
