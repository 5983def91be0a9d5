/** Text that a user has typed and the service has not confirmed. */
export interface StoredDraft {
  user: number
  /** Name of the edited item, such as `card 7`, `sheet git` or `new card git` */
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
