/** Text that a user has typed and the service has not confirmed. */
export interface StoredDraft {
  user: number
  /** Name, such as `card 7` or `new card git`; ends with ` tab …` if another tab had the draft of this name open */
  item: string
  /** Version of the service's text on which the draft is based; 0 for a new item */
  version: number
  /** Time of the last input in ms since the epoch, by this device's clock */
  at: number
  fields: unknown
  /** The `client_id` of a new item, so that a retry after a crash does not create a second item */
  clientId?: string | undefined
}

/** Drafts on this device. Each function rejects if storage is unavailable, as in some private windows. */
export interface DraftStore {
  find(user: number, item: string): Promise<StoredDraft | undefined>
  put(draft: StoredDraft): Promise<void>
  remove(user: number, item: string): Promise<void>
}

/**
 * Returns the name of the object that a draft belongs to.
 * @example nameOfObject('card 7 tab 0a1b') // 'card 7'
 */
export function nameOfObject(item: string): string {
  return item.replace(/ tab \w+$/, '')
}
