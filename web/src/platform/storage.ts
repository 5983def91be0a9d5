/** Reads local storage, which may be forbidden or contain data of an older version. */

export function readStored<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

/** Prefix of keys that belong to a user, followed by the user's id */
export const OWN = 'training.own.'

/** Returns false if storage is full or forbidden. */
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
    // Unreadable storage contains no data of ours.
  }
}

/** Key in session storage: input saved before the provider's page */
export const LEFT = 'training.left'

/** Returns whether this tab has returned from the provider's page and its saved input has not been read yet. */
export function isBackFromProvider(): boolean {
  try {
    return sessionStorage.getItem(LEFT) !== null
  } catch {
    return false
  }
}

/** Deletes the user's data at logout. */
export function removeOwn(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(OWN)) localStorage.removeItem(key)
  } catch {
    // Storage may be forbidden.
  }
}
