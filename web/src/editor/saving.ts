import { hasCode } from '../api/faults.js'
import type { Stored, WritingParts } from './writing.js'

/**
 * How an object is edited: `T` is the object as the service returns it, `F` the fields of the form, `C` the body of a
 * request that changes the object.
 */
interface Editing<T, F, C> {
  storedOf: (object: T) => Stored<F>
  /** Returns the body that gives the object these fields; undefined if the object has them already */
  changesOf: (fields: F, object: T) => C | undefined
  /** @throws Refused with `version_outdated` if the object has another version */
  patch: (object: T, body: C & { version: number }) => Promise<T>
  load: (object: T) => Promise<T>
  onsaved?: (object: T) => void
}

interface Existing<T> {
  object: T
}

interface New<T, F> {
  /** Fields of the empty form */
  fields: F
  /**
   * Creates the object. A repeated request with the same client id returns the object that the first one has created,
   * possibly with other fields, or throws Refused with `client_id_used`.
   */
  create: (fields: F, clientId: string) => Promise<T>
  /** Loads the object that is named in the details of `client_id_used` */
  loadCreated?: (details: Readonly<Record<string, unknown>>) => Promise<T>
}

export type SavingParts<T, F, C> = Editing<T, F, C> & (Existing<T> | New<T, F>)

/** Returns how a text is saved and loaded. A new object exists in the service after the first save. */
export function savingOf<T, F extends object, C extends object>(
  parts: SavingParts<T, F, C>,
): Pick<WritingParts<F>, 'stored' | 'save' | 'load'> {
  const { storedOf, changesOf, patch, load, onsaved } = parts
  const stored = 'object' in parts ? storedOf(parts.object) : { version: 0, fields: parts.fields }
  // Latest state that the service has returned. Only fields that differ from it are sent.
  let known = 'object' in parts ? parts.object : undefined

  return {
    stored,
    save: async (fields, version, clientId) => {
      // A new object may have older fields, if only the response to an earlier request was lost.
      const before = known ?? (await create(fields, clientId))
      const base = known === undefined ? storedOf(before).version : version
      const changes = changesOf(fields, before)
      known = changes === undefined ? before : await patch(before, { ...changes, version: base })
      onsaved?.(known)
      return storedOf(known)
    },
    load: async () => {
      if (known === undefined) return stored
      known = await load(known)
      return storedOf(known)
    },
  }

  async function create(fields: F, clientId: string): Promise<T> {
    if ('object' in parts) return parts.object
    try {
      return await parts.create(fields, clientId)
    } catch (error) {
      if (parts.loadCreated === undefined || !hasCode(error, 'client_id_used')) throw error
      return parts.loadCreated(error.details)
    }
  }
}

/** Returns the fields of a body whose values differ from those of an earlier body; undefined if there are none. */
export function changedIn<B extends object>(body: B, before: B): Partial<B> | undefined {
  const old = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(body).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)),
  )
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<B>)
}
