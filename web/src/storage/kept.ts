import { openDatabase } from './database.js'
import { forgetPictures, keepPictures } from './pictures.js'

/** What was fetched, and when. */
export interface Kept<T> {
  content: T
  at: number
}

/** Keeps what was fetched, and its pictures, for a time without a network. That it cannot be kept is no reason to fail. */
export async function keep(user: number, name: string, content: unknown, at: number): Promise<void> {
  try {
    await (await openDatabase()).put('kept', { user, name, content, at })
  } catch {
    // A browser that keeps nothing, or has no more room.
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

/** What others, or everybody, have left; what waits to be sent is not touched. */
export async function forgetKept(except?: number): Promise<void> {
  try {
    await forgetPictures(except)
    const database = await openDatabase()
    for (const key of await database.getAllKeys('kept')) if (key[0] !== except) await database.delete('kept', key)
  } catch {
    // Then nothing was kept either.
  }
}
