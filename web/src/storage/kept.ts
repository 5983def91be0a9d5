import { openDatabase } from './database.js'
import { forgetPictures, keepPictures } from './pictures.js'

/** Cached content with the time of its request, in ms since the epoch */
export interface Kept<T> {
  content: T
  at: number
}

/** Caches content and its pictures for offline reading; ignores storage errors. */
export async function keep(user: number, name: string, content: unknown, at: number): Promise<void> {
  try {
    await (await openDatabase()).put('kept', { user, name, content, at })
  } catch {
    // Storage is unavailable, as in some private windows, or full: the content is not available offline.
    return
  }
  void keepPictures(user, content)
}

export async function findKept<T>(user: number, name: string): Promise<Kept<T> | undefined> {
  try {
    return (await (await openDatabase()).get('kept', [user, name])) as Kept<T> | undefined
  } catch {
    return undefined
  }
}

/** Deletes one cached copy; ignores storage errors. */
export async function forgetOne(user: number, name: string): Promise<void> {
  try {
    await (await openDatabase()).delete('kept', [user, name])
  } catch {
    // Storage is unavailable, as in some private windows, so there is no copy to delete.
  }
}

/**
 * Deletes the cached content of all users except the given one; of all users if `except` is undefined. Unsent ratings
 * stay. Ignores storage errors.
 */
export async function forgetKept(except?: number): Promise<void> {
  try {
    await forgetPictures(except)
    const database = await openDatabase()
    for (const key of await database.getAllKeys('kept')) if (key[0] !== except) await database.delete('kept', key)
  } catch {
    // Storage is unavailable, as in some private windows, so there is no content to delete.
  }
}
