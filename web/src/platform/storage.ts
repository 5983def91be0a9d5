/** Returns the stored value; undefined if there is none, storage is blocked or the value is not JSON. */
export function readStored<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

/** Prefix of the keys whose values are deleted at logout or when another user logs in */
export const USER_KEY_PREFIX = 'training.own.'

/** Returns the key of the quiz results of a user that the service has not stored yet. */
export const resultsKey = (user: number | undefined) => `training.results.${user}`

/** Stores a value. Returns false if storage is full or blocked. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

export function removeStored(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
}

/** Session storage key for input saved before the user leaves for the identity provider */
export const DRAFT_KEY = 'training.left'

/** Returns whether this tab has opened the identity provider and `findDraft` has not run since. */
export function hasReturnedFromProvider(): boolean {
  try {
    return sessionStorage.getItem(DRAFT_KEY) !== null
  } catch {
    return false
  }
}

export function removeUserKeys(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(USER_KEY_PREFIX)) localStorage.removeItem(key)
  } catch {
    // Storage is blocked: there is nothing to delete.
  }
}
