import { account } from '../../account/account.svelte.js'
import { api } from '../../api/client.js'
import { Refused } from '../../api/faults.js'
import { OWN, readStored, removeStored, writeStored } from '../../platform/storage.js'
import { deliver } from './deliver.js'
import { parseRun, type Run } from './run.js'

interface QuizState {
  run: Run | undefined
  isSending: boolean
  /** Error that prevented storing the result */
  fault: unknown
}

/** The current user's quiz; `followRun` synchronises it with other tabs */
export const quiz = $state<QuizState>({ run: undefined, isSending: false, fault: undefined })

const keyOf = () => `${OWN}quiz.${account.user?.id}`

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

export function keepRun(run: Run): void {
  quiz.run = run
  writeStored(keyOf(), run)
}

export function dropRun(): void {
  quiz.run = undefined
  removeStored(keyOf())
}

/** Sends the result of a finished run; sets `quiz.fault` if that fails. */
export async function sendResult(): Promise<void> {
  if (quiz.isSending) return
  quiz.isSending = true
  quiz.fault = undefined
  try {
    await oneTabAtATime(async () => {
      // Reads the stored run again, because another tab may have sent the result during the wait for the lock.
      const run = parseRun(readStored(keyOf())) ?? quiz.run
      if (run === undefined || run.id !== quiz.run?.id) return
      await deliver(run, {
        results: async () => (await api.get('/api/quiz/history')).results,
        submit: (body) => api.post('/api/quiz/submit', { body }),
        keep: keepRun,
        isDefinitelyRefused: (error) => error instanceof Refused && !error.isPassing,
      })
    })
  } catch (error) {
    quiz.fault = error
  } finally {
    quiz.isSending = false
  }
}

/**
 * Runs the work under a lock that all tabs share. Over plain http there are no locks, so two tabs of one quiz may both
 * send the result.
 */
async function oneTabAtATime(work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) await work()
  else await navigator.locks.request('training.quiz', work)
}
