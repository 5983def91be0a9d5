import { account } from '../../account/account.svelte.js'
import { api } from '../../api/client.js'
import { Refused } from '../../api/faults.js'
import { readStored, removeStored, USER_KEY_PREFIX, writeStored } from '../../platform/storage.js'
import { deliver } from './deliver.js'
import { parseRun, type Run } from './run.js'

interface QuizState {
  run: Run | undefined
  /** Id of the run whose result is being sent */
  sending: string | undefined
  /** Error that prevented storing the result of the current run */
  fault: unknown
}

/** The current user's quiz; `followRun` synchronises it with other tabs */
export const quiz = $state<QuizState>({ run: undefined, sending: undefined, fault: undefined })

const keyOf = () => `${USER_KEY_PREFIX}quiz.${account.user?.id}`

/** Loads the stored run and follows changes by other tabs until the returned function is called. */
export function followRun(): () => void {
  const read = () => {
    quiz.run = parseRun(readStored(keyOf()))
  }
  const onStorage = ({ key }: StorageEvent) => {
    if (key === keyOf()) read()
  }
  read()
  quiz.fault = undefined
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

export function storeRun(run: Run): void {
  quiz.run = run
  writeStored(keyOf(), run)
}

/** Changes the run with this id; does nothing if another run has replaced it. */
export function changeRun(id: string, change: (run: Run) => Partial<Run>): void {
  if (quiz.run?.id === id) storeRun({ ...quiz.run, ...change(quiz.run) })
}

export function deleteRun(): void {
  quiz.run = undefined
  removeStored(keyOf())
}

export async function sendResult(): Promise<void> {
  const id = quiz.run?.id
  if (id === undefined || quiz.sending === id) return
  quiz.sending = id
  quiz.fault = undefined
  try {
    await oneTabAtATime(async () => {
      // Reads the stored run again, because another tab may have sent the result during the wait for the lock.
      const run = parseRun(readStored(keyOf())) ?? quiz.run
      if (run?.id !== id) return
      await deliver(run, {
        results: async () => (await api.get('/api/quiz/history')).results,
        submit: (body) => api.post('/api/quiz/submit', { body }),
        // The learner may have started another quiz in the meantime.
        keep: ({ delivery }) => changeRun(id, () => ({ delivery })),
        isDefinitelyRefused: (error) => error instanceof Refused && !error.isPassing,
      })
    })
  } catch (error) {
    if (quiz.run?.id === id) quiz.fault = error
  } finally {
    if (quiz.sending === id) quiz.sending = undefined
  }
}

/**
 * Runs the work under a lock that all tabs share. In an insecure context there are no locks, so two tabs of one quiz
 * may both send the result.
 */
async function oneTabAtATime(work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) await work()
  else await navigator.locks.request('training.quiz', work)
}
