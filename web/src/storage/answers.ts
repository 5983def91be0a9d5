import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { AnswerStore, StoredAnswer } from './answer.js'

interface AnswerDatabase extends DBSchema {
  answers: { key: [user: number, attempt: number, slot: number]; value: StoredAnswer }
}

/** Age in milliseconds above which answers are deleted */
const MAX_AGE_MS = 90 * 86_400_000

/**
 * Name of the database. Answers are not in the database of the outbox, because an upgrade of that database would
 * disconnect open pages of an older version.
 */
const NAME = `training answers ${new URL(document.baseURI).pathname}`

let opened: Promise<IDBPDatabase<AnswerDatabase>> | undefined

function open(): Promise<IDBPDatabase<AnswerDatabase>> {
  opened ??= openDB<AnswerDatabase>(NAME, 1, {
    upgrade(database) {
      database.createObjectStore('answers', { keyPath: ['user', 'attempt', 'slot'] })
    },
    terminated: () => (opened = undefined),
  })
  // After a failure, the next call tries again.
  opened.catch(() => (opened = undefined))
  return opened
}

type Change = (stored: StoredAnswer | undefined) => StoredAnswer | 'remove' | undefined

/** Changes the answer to a question in one transaction. The change is on disk when the promise resolves. */
async function change({ user, attempt, slot }: StoredAnswer, next: Change): Promise<void> {
  const transaction = (await open()).transaction('answers', 'readwrite', { durability: 'strict' })
  const changed = next(await transaction.store.get([user, attempt, slot]))
  if (changed === 'remove') void transaction.store.delete([user, attempt, slot])
  else if (changed !== undefined) void transaction.store.put(changed)
  await transaction.done
}

const isSame = (stored: StoredAnswer | undefined, { seq, at }: StoredAnswer) => stored?.seq === seq && stored.at === at

export const answers: AnswerStore = {
  async put(answer) {
    const transaction = (await open()).transaction('answers', 'readwrite', { durability: 'strict' })
    void transaction.store.put(answer)
    // Without an explicit commit, closing the page would abort the transaction.
    transaction.commit()
    await transaction.done
  },
  async find(user, attempt, slot) {
    return (await open()).get('answers', [user, attempt, slot])
  },
  async list(user) {
    const database = await open()
    const found = await database.getAll('answers', IDBKeyRange.bound([user], [user, []]))
    const oldest = Date.now() - MAX_AGE_MS
    for (const { at, attempt, slot } of found) {
      if (at < oldest) await database.delete('answers', [user, attempt, slot])
    }
    return found.filter(({ at }) => at >= oldest).sort((one, other) => one.at - other.at)
  },
  remove: (answer) => change(answer, (stored) => (isSame(stored, answer) ? 'remove' : undefined)),
  refuse: (answer, refusal) =>
    change(answer, (stored) => (stored && refusal && isSame(stored, answer) ? { ...stored, refusal } : undefined)),
}
