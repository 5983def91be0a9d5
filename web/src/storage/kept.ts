import { openDatabase } from './database.js'
import { cachePictures, deleteCachedPictures } from './pictures.js'

/** Cached content with the time of its request, in ms since the epoch */
export interface Cached<T> {
  content: T
  at: number
}

/** Caches content and its pictures for offline reading; ignores storage errors. */
export async function cacheContent(user: number, name: string, content: unknown, at: number): Promise<void> {
  try {
    await (await openDatabase()).put('kept', { user, name, content, at })
  } catch {
    // Storage is unavailable, as in some private windows, or full: the content is not available offline.
    return
  }
  void cachePictures(user, content)
}

export async function findCached<T>(user: number, name: string): Promise<Cached<T> | undefined> {
  try {
    return (await (await openDatabase()).get('kept', [user, name])) as Cached<T> | undefined
  } catch {
    return undefined
  }
}

/** Changes cached content if there is any, without changing the time of its request; ignores storage errors. */
export async function updateCached<T>(user: number, name: string, update: (content: T) => T): Promise<void> {
  try {
    const transaction = (await openDatabase()).transaction('kept', 'readwrite')
    const cached = await transaction.store.get([user, name])
    if (cached !== undefined) void transaction.store.put({ ...cached, content: update(cached.content as T) })
    await transaction.done
  } catch {
    // Storage is unavailable, as in some private windows, or full: the content offline is older.
  }
}

/** Name of the cached copy of an attempt */
export const attemptName = (id: number) => `attempt ${id}`

export async function deleteCachedItem(user: number, name: string): Promise<void> {
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
export async function deleteCachedContent(except?: number): Promise<void> {
  try {
    await deleteCachedPictures(except)
    const database = await openDatabase()
    for (const key of await database.getAllKeys('kept')) if (key[0] !== except) await database.delete('kept', key)
  } catch {
    // Storage is unavailable, as in some private windows, so there is no content to delete.
  }
}
