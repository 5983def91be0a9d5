import { nameOfObject, type StoredDraft } from '../storage/draft.js'
import { newId } from '../storage/id.js'

/** A draft that only this tab edits until it calls `release` */
export interface DraftClaim {
  /** Name of the draft */
  item: string
  /** Whether another tab of this browser edits the same object */
  isOpenElsewhere: boolean
  release(): void
}

/** Ends of the locks that this tab has released. A claim waits for them, because it may ask for the same draft. */
let released: Promise<unknown> = Promise.resolve()

/**
 * Claims the latest draft of an object that no other tab has open, or a new draft, by a Web Lock. In an insecure context,
 * where the Web Locks API is missing, all tabs share one draft.
 */
export async function claimDraft(stored: readonly StoredDraft[], user: number, item: string): Promise<DraftClaim> {
  if (navigator.locks === undefined) return { item, isOpenElsewhere: false, release: () => {} }
  await released
  const known = stored.filter((draft) => nameOfObject(draft.item) === item).sort((one, other) => other.at - one.at)
  let isOpenElsewhere = false
  for (const name of new Set([...known.map((draft) => draft.item), item])) {
    const release = await lock(user, name)
    if (release !== undefined) return { item: name, isOpenElsewhere, release }
    isOpenElsewhere = true
  }
  const own = `${item} tab ${newId()}`
  return { item: own, isOpenElsewhere, release: (await lock(user, own)) ?? (() => {}) }
}

/** Returns the function that releases the lock; undefined if another tab holds it. */
function lock(user: number, item: string): Promise<(() => void) | undefined> {
  const name = `training draft ${new URL(document.baseURI).pathname} ${user} ${item}`
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(name, { ifAvailable: true }, (taken) => {
      if (taken === null) return resolve(undefined)
      return new Promise<void>((end) => {
        resolve(() => {
          end()
          released = Promise.all([released, held])
        })
      })
    })
    held.catch(reject)
  })
}
