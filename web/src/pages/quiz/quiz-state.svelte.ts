import { account } from '../../account/account.svelte.js'
import { api } from '../../api/client.js'
import { isRefused, Refused } from '../../api/faults.js'
import { queryClient } from '../../api/query-client.js'
import { rememberedUser } from '../../platform/remembered-user.js'
import { readStored, removeStored, resultsKey, USER_KEY_PREFIX, writeStored } from '../../platform/storage.js'
import { withSendLock } from '../../storage/send-lock.js'
import { deliver } from './deliver.js'
import { resultsQuery } from './results-query.js'
import { type Delivery, parseRun, type Run, resultOf, type WaitingResult } from './run.js'

interface QuizState {
  run: Run | undefined
  /** Results that are not stored yet, also of earlier runs */
  waiting: WaitingResult[]
  isSending: boolean
  /** Error that prevented storing a result */
  fault: unknown
}

/** The current user's quiz, synchronised with other tabs once it is loaded */
export const quiz = $state<QuizState>({ run: undefined, waiting: [], isSending: false, fault: undefined })

const keyOf = () => `${USER_KEY_PREFIX}quiz.${account.user?.id}`

/**
 * Returns the key of the results that are not stored yet. They stay at a logout, without a limit of age, and are sent
 * when the user opens the app or a quiz again.
 */
const waitingKey = () => resultsKey(account.user?.id)
/** The waiting results while the browser cannot store them */
let inMemory: WaitingResult[] | undefined

const readWaiting = () => inMemory ?? readStored<WaitingResult[]>(waitingKey()) ?? []

function writeWaiting(results: WaitingResult[]): void {
  if (results.length === 0) removeStored(waitingKey())
  inMemory = results.length === 0 || writeStored(waitingKey(), results) ? undefined : results
  quiz.waiting = results
}

function read(): void {
  quiz.run = parseRun(readStored(keyOf()))
  quiz.waiting = readWaiting()
}

// Follows changes by other tabs on every page, because `changeRun` stores the run, and a stale one would be sent again.
addEventListener('storage', ({ key }) => {
  if (key === keyOf() || key === waitingKey()) read()
})

/** Loads the stored run, and sends the results that are not stored yet. */
export function loadRun(): void {
  read()
  void sendResults()
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

/** Sends the result of the current run, if it is finished, and those of earlier runs that are not stored yet. */
export async function sendResults(): Promise<void> {
  // No quiz page may have loaded the run whose delivery `changeRun` stores.
  quiz.run ??= parseRun(readStored(keyOf()))
  const own = quiz.run && resultOf(quiz.run)
  if (own !== undefined && readWaiting().every(({ id }) => id !== own.id))
    writeWaiting([...readWaiting(), { ...own, at: new Date().toISOString() }])
  if (quiz.isSending) return
  quiz.isSending = true
  quiz.fault = undefined
  try {
    await sendWaiting().catch(async (error) => {
      if (!isRefused(error, 401)) throw error
      // Opens the login dialog, now that the lock is free for the login.
      await api.get('/api/auth/me')
      await sendWaiting()
    })
  } catch (error) {
    quiz.fault = error
  } finally {
    quiz.isSending = false
  }
}

function sendWaiting(): Promise<void> {
  return withSendLock(async () => {
    // Reads the list again each time, because this and other tabs may have added or sent results.
    for (let [next] = readWaiting(); next !== undefined && isLoggedIn(); [next] = readWaiting()) await send(next)
  })
}

function send(result: WaitingResult): Promise<void> {
  const { id } = result
  return deliver(result, {
    results: async () => (await api.get('/api/quiz/history', { asksLogin: false })).results,
    submit: (body) => api.post('/api/quiz/submit', { body, asksLogin: false }),
    keep(delivery: Delivery) {
      const others = readWaiting().filter((one) => one.id !== id)
      const changed = { ...result, delivery }
      if (delivery.state === 'stored') writeWaiting(others)
      // A refused result goes to the end, so that it does not hold up the others.
      else writeWaiting(delivery.state === 'unsent' ? [...others, changed] : [changed, ...others])
      changeRun(id, () => ({ delivery }))
      if (delivery.state === 'stored') void queryClient.invalidateQueries(resultsQuery())
    },
    isDefinitelyRefused: (error) => error instanceof Refused && !error.isPassing,
  })
}

/** Returns whether no other user has logged in, in another tab; a login waits for the lock. */
const isLoggedIn = () => rememberedUser()?.id === account.user?.id
