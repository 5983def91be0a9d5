/** The browser's local storage, which may be forbidden, full, or hold what an older version wrote. */

export function readStored<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

/** How keys begin that belong to the person and not to the device; behind it stands whose they are. */
export const OWN = 'training.own.'

/** False when it could not be kept. */
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
    // What cannot be touched holds nothing of ours.
  }
}

/** In the tab's own storage: what was left for the provider's page. */
export const LEFT = 'training.left'

/** Whether this tab was at the provider's page since it was last asked. */
export function isBackFromProvider(): boolean {
  try {
    return sessionStorage.getItem(LEFT) !== null
  } catch {
    return false
  }
}

/** Takes away what belongs to a person, when they leave this device. */
export function removeOwn(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(OWN)) localStorage.removeItem(key)
  } catch {
    // As above.
  }
}
